import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';
import { keysOn } from '../support/keys-command-line.js';
import { freePort } from '../support/servers/free-port.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { FAILS, NOT_RUN, OWN_PACKAGE, READ, SETTLED, START_BESIDE, VARIABLES } from './commands.js';
import { commandsOf, files, HOME, page, pages } from './pages.js';
import { Servers } from './servers.js';
import { difference } from './shown-response.js';
import { type Result, type Running, Workspace } from './workspace.js';

/*
 * Follows the manual page by page. Every command runs in order in a copy of the project, and its output must match the
 * page. Commands that start the service run until it is ready. Commands that cannot run in a test are listed in
 * commands.ts, with the reason.
 */

const START = 'npm ci && npm start';
const START_EXTENDED = 'npm run --silent node -- visits/dist/main.js';
const KEYS = 'npm run --silent keys -- ';

const hasCurl = has('curl');
const hasServers = has('initdb') && has('pg_dump') && has('redis-server');

let workspace: Workspace;
let port: number;
let servers: Servers | undefined;
let service: Running | undefined;
const receiver = new WebhookReceiver();
/** What stands for its address in the manual. */
const RECEIVER = 'https://example.com/hooks/pets';
const receiverUrl = () => `${receiver.address}/hooks/pets`;
const variables: Record<string, string> = {};

beforeAll(async () => {
  workspace = new Workspace();
  port = await freePort();
  await receiver.start();
  for (const [path, text] of files) workspace.write(path, text.replaceAll('localhost:3000', `localhost:${port}`));
  if (hasServers) servers = await Servers.start();
}, INSTALL_LIMIT_MS);

afterAll(async () => {
  await service?.stop();
  await servers?.stop();
  receiver.stop();
  workspace.remove();
}, INSTALL_LIMIT_MS);

function has(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

/** In CI every command must run. A missing program is a failure. */
function canRun(command: string): boolean {
  if (process.env['CI'] !== undefined) return true;
  return (hasCurl || !command.startsWith('curl')) && (hasServers || !Servers.areIn(command));
}

/** Replaces the placeholders of a page, as a reader does. */
function filledIn(command: string): string {
  const [, name] = /^export (\w+)=\w+\.\.\.$/.exec(command) ?? [];
  if (name !== undefined) return `export ${name}=${variables[name]}`;
  return (servers?.fillIn(command) ?? command)
    .replaceAll(RECEIVER, receiverUrl())
    .replaceAll('localhost:3000', `localhost:${port}`);
}

/** The first key is created as the page says. The other commands of the program run here, which starts no process for each. */
async function run(command: string): Promise<Result> {
  if (command.startsWith(KEYS) && variables['KEY_ID'] !== undefined) return runHere(command.slice(KEYS.length));
  // migration:revert would drop the tables of the running service.
  const scratch = command.includes(' typeorm ') ? { DATABASE_URL: 'sqlite:scratch.sqlite' } : {};
  return workspace.run(filledIn(command), { ...variables, ...scratch });
}

async function runHere(line: string): Promise<Result> {
  const words = line.split(' ').map((word) => word.replace(/^"\$(\w+)"$/, (_, name: string) => variables[name] ?? ''));
  const database = join(workspace.folder, 'data/petstore.sqlite');
  const { code, stdout, stderr } = await keysOn({ DATABASE_URL: `sqlite:${database}` }, ...words);
  return { code, output: stdout + stderr };
}

async function startFirst(): Promise<void> {
  service = await workspace.start('npm start', port, receiver.env);
  while (!service.output().includes('/v1/pets\n')) await new Promise((resolve) => setTimeout(resolve, 20));
  variables['API_KEY'] = /psk_live_\w+/.exec(service.output())?.[0] ?? '';
  if (!hasCurl) return;
  const line = /^ *curl .*$/m.exec(service.output())?.[0] ?? 'the start printed no curl line';
  expect(await workspace.run(line)).toMatchObject({ code: 0, output: expect.stringMatching(/^\[\{"id":1,/) });
}

async function startBeside(command: string): Promise<void> {
  const otherPort = await freePort();
  // Edit the copy of .env.example as a reader does.
  await workspace.run(`printf 'PORT=${otherPort}\\nDATABASE_URL=sqlite:beside.sqlite\\n' >> .env`);
  const beside = await workspace.start(
    filledIn(command).replace('PORT=8080 ', '').replace('/var/lib/petstore', 'elsewhere'),
    otherPort,
    { DATABASE_URL: 'sqlite:beside.sqlite' },
  );
  await beside.stop();
}

/** Deletes all data, then expects the command to restore it. */
async function restore(command: string): Promise<void> {
  const kept = await servers?.tables();
  await servers?.lose();
  expect(await run(command)).toEqual({ code: 0, output: '' });
  expect(kept).not.toEqual([]);
  expect(await servers?.tables()).toEqual(kept);
}

async function startExtended(command: string): Promise<void> {
  await service?.stop();
  service = undefined;
  service = await workspace.start(command, port);
}

/** @returns the output */
async function follow(command: string): Promise<string> {
  let result = await run(command);
  const [, settled = /(?:)/] = SETTLED.find(([of]) => of.test(command)) ?? [];
  while (result.code === 0 && !settled.test(result.output)) result = await run(command);
  const output = result.output.replaceAll(receiverUrl(), RECEIVER);
  const failure = FAILS[command];
  const isAsPromised = failure === undefined ? result.code === 0 : result.code === 1 && failure.test(output);
  if (!isAsPromised) throw new Error(`${command} ended with ${result.code}:\n${output}`);
  for (const [name, of, value] of VARIABLES) if (of.test(command)) variables[name] = value.exec(output)?.[1] ?? '';
  return output;
}

async function runOrStart(command: string): Promise<string> {
  if (command === START) await startFirst();
  else if (START_BESIDE.includes(command)) await startBeside(command);
  else if (command === START_EXTENDED) await startExtended(command);
  else if (command.startsWith('pg_restore ')) await restore(command);
  else return follow(command);
  return '';
}

/** The output that a page shows below a command. */
interface Shown {
  readonly language: string;
  readonly text: string;
}

/** Returns the shell blocks of a page, with the output shown below each. */
const shellBlocks = (path: string) => {
  const { blocks } = page(path);
  return blocks.flatMap((block, at) => {
    if (block.language !== 'sh') return [];
    const next = blocks[at + 1];
    const isShown = next !== undefined && next.path === undefined && ['http', 'json', 'text'].includes(next.language);
    return [{ commands: commandsOf(block), intro: block.intro, shown: isShown ? next : undefined }];
  });
};

const everyCommand = [...pages.keys()].flatMap((path) => page(path).commands);

describe.each(READ)('%s', (path) => {
  for (const { commands, shown } of shellBlocks(path)) {
    for (const command of commands.filter((one) => NOT_RUN[one] === undefined)) {
      const test = canRun(command) ? it : it.skip;
      test(
        `has a command that works: ${command}`,
        async () => {
          const printed = await runOrStart(command);
          if (commands.length === 1) expectShown(shown, printed);
        },
        INSTALL_LIMIT_MS,
      );
    }
  }
});

function expectShown(shown: Shown | undefined, printed: string): void {
  const got = shown && difference(shown.language, shown.text, printed);
  if (got !== undefined) throw new Error(`The page shows\n${shown?.text}\nbut the response is\n${got}`);
}

describe('the commands of the manual', () => {
  it('are all tested, or listed as untested', () => {
    const withCommands = [...pages.values()].filter(({ commands }) => commands.length > 0).map(({ path }) => path);
    expect(withCommands.toSorted()).toEqual([...READ, OWN_PACKAGE].toSorted());
    expect(everyCommand).toEqual(
      expect.arrayContaining([...Object.keys(NOT_RUN), ...Object.keys(FAILS), ...START_BESIDE, START_EXTENDED]),
    );
  });

  it('include those that start the service and run the tests', () => {
    expect(page('README.md').commands[0]).toBe(START);
    expect(page('README.md').commands).toContain('npm ci && npm test');
  });

  it('show the response of every call', () => {
    const calls = READ.flatMap(shellBlocks).filter(({ commands }) => commands.some((one) => one.startsWith('curl')));
    expect(calls.length).toBeGreaterThan(20);
    expect(calls.filter(({ commands, shown }) => commands.length > 1 || shown === undefined)).toEqual([]);
  });

  it('explain each placeholder', () => {
    const unsaid = READ.flatMap(shellBlocks).filter(({ commands, intro }) => {
      const changed = /=(\w+\.\.\.)$/.exec(commands[0] ?? '')?.[1];
      if (changed !== undefined) return !intro.includes(`Replace \`${changed}\``);
      return commands.some((one) => one.endsWith('...') || (one.includes('example.com') && !intro.includes('Replace')));
    });
    expect(unsaid).toEqual([]);
  });

  it('include steps of .ci/run', () => {
    const lines = readFileSync(join(HOME, '.ci/run'), 'utf8').split('\n');
    const steps = lines.map((line) => line.replace(/ &$/, ''));
    const own = Object.entries(NOT_RUN).filter(([, reason]) => reason.startsWith('A step'));
    for (const command of [...own.map(([name]) => name), 'npm run test:rest']) expect(steps).toContain(command);
  });
});

describe('the example of an extension', () => {
  it('responds as the page shows', async () => {
    const book = (petId: number) =>
      fetch(`http://localhost:${port}/v1/visits`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${variables['VISITS_KEY']}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ petId, visitor: 'Grace' }),
      });
    const responses = [await book(2), await book(2), await book(2)];
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 409]);
    const shown = page('docs/extending.md').blocks.findLast(({ language }) => language === 'json')?.text ?? '';
    expect(await responses[2]?.json()).toEqual(JSON.parse(shown));
    expect(responses[0]?.headers.get('x-ratelimit-limit')).toBe('10');
    expect(await (await book(99)).json()).toMatchObject({ code: 'pet_not_found', status: 404 });
    const document = (await (await fetch(`http://localhost:${port}/openapi.json`)).json()) as {
      paths: Record<string, unknown>;
    };
    expect(document.paths['/visits']).toBeDefined();
  });

  it(
    'stops on SIGTERM',
    async () => {
      await expect(service?.stop()).resolves.toBeUndefined();
      service = undefined;
    },
    INSTALL_LIMIT_MS,
  );
});
