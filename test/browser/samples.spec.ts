import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { explorer, key, service, shareBrowser, shareExplorer } from '../support/browser-bench.js';
import { describeWhere, describeWith } from '../support/describe-with.js';
import { hasVenv, PythonEnvironment } from '../support/python.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';
import { run } from '../support/run.js';
import { shareFolder } from '../support/share-folder.js';

/** What breaks code that is put together without care: quotes, a character beyond 16 bits, and the largest int64. */
const BODY = String.raw`{"name":"O'Hara \"Zoë\" \\ 🐕","categoryId":9223372036854775807}`;

/** Other languages, by the file of the sample. Each is run as `program ...args file`. */
const MORE = {
  Go: { program: 'go', version: 'version', args: ['run'], file: 'sample.go' },
  Java: { program: 'java', version: '-version', args: [], file: 'Sample.java' },
  PHP: { program: 'php', version: '--ri=curl', args: [], file: 'sample.php' },
};

const folder = shareFolder();
shareBrowser();
shareExplorer();

async function sampleOf(operation: Locator, language: string): Promise<string> {
  await operation.getByRole('button', { name: language, exact: true }).click();
  return (await operation.locator('.sample').textContent()) ?? '';
}

/** The samples of two operations, with the form filled in and a key given. */
async function samples(language: string): Promise<{ create: string; list: string }> {
  await explorer.authorize(key);
  const createPet = await explorer.openOperation('Pets', 'createPet');
  await createPet.getByPlaceholder('Idempotency-Key').fill(`it's ${language}`);
  await createPet.getByLabel('Request body').fill(BODY);
  const listPets = await explorer.openOperation('Pets', 'listPets');
  await listPets.getByPlaceholder('limit').fill('100');
  await listPets.getByPlaceholder('categoryId').fill('9223372036854775807');
  return { create: await sampleOf(createPet, language), list: await sampleOf(listPets, language) };
}

/** Runs both samples, the first one twice. @returns what they did */
async function outcomeOf(language: string, execute: (code: string) => Promise<string>) {
  const { create, list } = await samples(language);
  const [created, repeated, listed] = [await execute(create), await execute(create), await execute(list)];
  const { id, name } = JSON.parse(created.slice(created.lastIndexOf('{'))) as { id: number; name: string };
  return {
    showsKey: `${create}${list}`.includes(key),
    name,
    created: created.includes('201') && created.includes('"categoryId":9223372036854775807'),
    repeated: repeated.includes(`{"id":${id},`),
    listed: listed.includes('200') && listed.includes(`{"id":${id},`),
  };
}

const WORKING = { showsKey: false, name: 'O\'Hara "Zoë" \\ 🐕', created: true, repeated: true, listed: true };

describe('the samples of the explorer', () => {
  it('run with curl', async () => {
    const env = { ...process.env, API_KEY: key };
    const outcome = await outcomeOf('curl', (code) => run('sh', ['-c', code], { cwd: folder, env }));
    expect(outcome).toEqual(WORKING);
  });

  it('run with JavaScript', async () => {
    const outcome = await outcomeOf('JavaScript', async (code) => {
      const file = join(folder, 'sample.mjs');
      writeFileSync(file, code);
      return run(process.execPath, [file], { cwd: folder, env: { API_KEY: key } });
    });
    expect(outcome).toEqual(WORKING);
  });

  it('with C# put the type of the body on the content', async () => {
    const { create } = await samples('C#');
    expect(create).toContain('request.Headers.TryAddWithoutValidation("Idempotency-Key", "it\'s C#");');
    expect(create).toContain('request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse("application/json");');
    expect(create).not.toContain('TryAddWithoutValidation("Content-Type"');
    expect(create).toContain(`Encoding.UTF8.GetBytes(${JSON.stringify(BODY)})`);
  });

  it('follow the form, and name what is missing in it', async () => {
    const found = await explorer.openOperation('Pets', 'changePet');
    await found.getByPlaceholder('petId').fill('7');
    expect(await sampleOf(found, 'curl')).toContain(`curl -i -X PATCH '${service.origin}/v1/pets/7' \\\n`);
    await found.getByPlaceholder('petId').fill('');
    expect(await sampleOf(found, 'curl')).toContain(`${service.origin}/v1/pets/{petId}'`);
    await found.getByLabel('Request body').fill('{"name": "Rex", "status": null}');
    expect(await sampleOf(found, 'JavaScript')).toContain(
      'body: JSON.stringify({\n    name: "Rex",\n    status: null\n  }),',
    );
    expect(await sampleOf(found, 'Python')).toContain('json={\n        "name": "Rex",\n        "status": None\n    },');
    await found.getByLabel('Request body').fill('{"name": "Rex');
    expect(await sampleOf(found, 'Python')).toContain(String.raw`data="{\"name\": \"Rex".encode(),`);
  });

  it('are copied by a button, and stay beside the response', async () => {
    await explorer.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const found = await explorer.openOperation('Pets', 'listPets');
    const code = await sampleOf(found, 'JavaScript');
    await found.getByRole('button', { name: 'Copy' }).click();
    await found.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await explorer.page.evaluate('navigator.clipboard.readText()')).toBe(code);
    await explorer.execute('Pets', 'listPets', 401);
    expect(await found.locator('.live-response .sample').textContent()).toBe(code);
  });
});

describe.each(Object.entries(MORE))('the samples of the explorer', (language, { program, version, args, file }) => {
  describeWith(program, version)(`where ${program} is installed`, () => {
    it(`run with ${language}`, async () => {
      const outcome = await outcomeOf(language, async (code) => {
        writeFileSync(join(folder, file), code);
        const env = { ...process.env, LC_ALL: 'C.UTF-8', API_KEY: key };
        return run(program, [...args, file], { cwd: folder, env });
      });
      expect(outcome).toEqual(WORKING);
    });
  });
});

describeWhere(hasVenv, 'python3 with venv')('the samples of the explorer', () => {
  it(
    'run with Python',
    async () => {
      const python = await PythonEnvironment.make(folder, 'requests==2.32.5');
      const outcome = await outcomeOf('Python', (code) => python.run('python', ['-c', code], { API_KEY: key }));
      expect(outcome).toEqual(WORKING);
    },
    INSTALL_LIMIT_MS,
  );
});
