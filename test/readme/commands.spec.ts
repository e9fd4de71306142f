import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commands, files, HOME } from './readme.js';
import { Servers } from './servers.js';
import { freePort, type Result, type Running, Workspace } from './workspace.js';

/*
 * Follows the README from top to bottom: every command runs, in its order, in a copy of the project. Those that start
 * the service are run up to where it serves. What can't run in a test is named here, with the reason.
 */

const START = 'npm ci && npm start';
const START_ELSEWHERE = 'PORT=8080 DATABASE_URL=sqlite:/var/lib/petstore/petstore.sqlite npm start';
const START_SHARED = 'DATABASE_URL=postgres://petstore:secret@db.example.com/petstore REDIS_URL=redis://redis.example.com npm start';
const START_EXTENDED = 'npm run --silent node -- visits/dist/visits/main.js';

const NOT_RUN: Readonly<Record<string, string>> = {
  'npm run lint': 'A step of its own of .ci/run.',
  'npm run typecheck': 'A step of its own of .ci/run.',
  'npm run build': 'A step of its own of .ci/run.',
  'npm test': 'A step of its own of .ci/run: it is what runs here.',
};

/** Commands that do not end with 0 on an unchanged project, with what they say. */
const FAILS: Readonly<Record<string, RegExp>> = {
  'npm run typeorm -- migration:generate src/database/migrations/change': /No changes in database schema were found/,
};

const TIMEOUT_MS = 120_000;
const hasCurl = has('curl');
const hasServers = has('initdb') && has('pg_dump') && has('redis-server');

let workspace: Workspace;
let port: number;
let servers: Servers | undefined;
let service: Running | undefined;
/** What the shell variables of the README hold. */
const variables: Record<string, string> = {};

beforeAll(async () => {
  workspace = new Workspace();
  port = await freePort();
  for (const [path, text] of files) workspace.write(path, atPort(text));
  if (hasServers) servers = await Servers.start();
}, TIMEOUT_MS);

afterAll(async () => {
  await service?.stop();
  await servers?.stop();
  workspace.remove();
}, TIMEOUT_MS);

function has(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

/** In CI nothing may be left out: there a program that is missing is a failure. */
function canRun(command: string): boolean {
  if (process.env['CI'] !== undefined) return true;
  return (hasCurl || !command.startsWith('curl')) && (hasServers || !Servers.areIn(command));
}

function atPort(text: string): string {
  return text.replaceAll('localhost:3000', `localhost:${port}`);
}

/** As a reader does: puts what was printed before in place of the dots. */
function filledIn(command: string): string {
  const [, name] = /^export (\w+)=\w+\.\.\.$/.exec(command) ?? [];
  if (name !== undefined) return `export ${name}=${variables[name]}`;
  return atPort(servers?.fillIn(command) ?? command);
}

async function run(command: string): Promise<Result> {
  // migration:revert would take the running service's tables away.
  const scratch = command.includes(' typeorm ') ? { DATABASE_URL: 'sqlite:scratch.sqlite' } : {};
  return workspace.run(filledIn(command), { ...variables, ...scratch });
}

async function startFirst(): Promise<void> {
  service = await workspace.start('npm start', port);
  while (!service.output().includes('/v1/pets\n')) await new Promise((resolve) => setTimeout(resolve, 20));
  variables['API_KEY'] = /psk_live_\w+/.exec(service.output())?.[0] ?? '';
  if (!hasCurl) return;
  const line = /^ *curl .*$/m.exec(service.output())?.[0] ?? 'the start printed no curl line';
  expect(await workspace.run(line)).toMatchObject({ code: 0, output: expect.stringMatching(/^\[\{"id":1,/) });
}

async function startElsewhere(command: string): Promise<void> {
  const otherPort = await freePort();
  const other = await workspace.start(command.replace('PORT=8080 ', 'env ').replace('/var/lib/petstore', 'elsewhere'), otherPort);
  await other.stop();
}

async function startShared(command: string): Promise<void> {
  const shared = await workspace.start(`env ${filledIn(command)}`, await freePort());
  await shared.stop();
}

/** Puts back what was kept, after all is lost. */
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

async function runOrStart(command: string): Promise<void> {
  if (command === START) return startFirst();
  if (command === START_ELSEWHERE) return startElsewhere(command);
  if (command === START_SHARED) return startShared(command);
  if (command === START_EXTENDED) return startExtended(command);
  if (command.startsWith('pg_restore ')) return restore(command);
  const result = await run(command);
  const { output } = result;
  const failure = FAILS[command];
  const promised = failure === undefined ? result.code === 0 : result.code === 1 && failure.test(output);
  if (!promised || (command.startsWith('curl -i ') && !output.startsWith('HTTP/1.1 20'))) {
    throw new Error(`${command} ended with ${result.code}:\n${output}`);
  }
  if (command.includes(' create --account acme --plan free --')) variables['KEY_ID'] = (JSON.parse(jsonLine(output)) as { id: string }).id;
  if (command.includes(' create --account shop ')) variables['MANAGER_KEY'] = /psk_live_\w+/.exec(output)?.[0] ?? '';
  if (command.includes('expiresInSeconds')) variables['SHOP_KEY_ID'] = /"id":"(\w+)"/.exec(output)?.[1] ?? '';
  if (command.startsWith('curl -i ')) variables['ETAG'] = /^etag: "(.+)"/im.exec(output)?.[1] ?? '';
  if (command.includes(' create --account clinic ')) variables['VISITS_KEY'] = /psk_live_\w+/.exec(output)?.[0] ?? '';
}

/** npm may warn on the same terminal. */
function jsonLine(output: string): string {
  return output.split('\n').find((line) => line.startsWith('{')) ?? output;
}

describe('the README', () => {
  const runnable = commands.filter((command) => NOT_RUN[command] === undefined);

  it('starts the service first', () => {
    expect(runnable[0]).toBe(START);
    expect(commands).toEqual(expect.arrayContaining([...Object.keys(NOT_RUN), ...Object.keys(FAILS), START_ELSEWHERE, START_SHARED, START_EXTENDED]));
  });

  for (const command of runnable) {
    const test = canRun(command) ? it : it.skip;
    test(`keeps what it promises of: ${command}`, () => runOrStart(command), TIMEOUT_MS);
  }

  it('answers the extension example as it says', async () => {
    const book = (petId: number) =>
      fetch(`http://localhost:${port}/v1/visits`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${variables['VISITS_KEY']}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ petId, visitor: 'Grace' }),
      });
    const answers = [await book(2), await book(2), await book(2)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 409]);
    expect(await answers[2]?.json()).toEqual({ code: 'visits_full', status: 409, message: expect.stringContaining('2 visits') });
    expect(answers[0]?.headers.get('x-ratelimit-limit')).toBe('5');
    expect(await (await book(99)).json()).toMatchObject({ code: 'pet_not_found', status: 404 });
    const document = (await (await fetch(`http://localhost:${port}/openapi.json`)).json()) as { paths: Record<string, unknown> };
    expect(document.paths['/visits']).toBeDefined();
  });

  it('names steps that .ci/run has', () => {
    const steps = readFileSync(join(HOME, '.ci/run'), 'utf8').split('\n');
    for (const command of [...Object.keys(NOT_RUN), 'npm ci']) expect(steps).toContain(command);
  });

  it('ends with a service that stops on SIGTERM', async () => {
    await expect(service?.stop()).resolves.toBeUndefined();
    service = undefined;
  }, TIMEOUT_MS);
});
