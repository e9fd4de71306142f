import { afterAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../support/databases.js';
import { Folders } from '../support/folders.js';
import { startProcess } from '../support/service-process.js';

/** Collects at a signal, and prints at the end what V8 has learnt of the literal in process.nextTick, property by property. */
const WATCH = `
  import { writeSync } from 'node:fs';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  process.on('SIGUSR2', () => {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
  });
  process.on('exit', () => {
    setFlagsFromString('--allow-natives-syntax');
    const feedback = new Function('return %GetFeedback(process.nextTick)')();
    const states = feedback.filter(([kind]) => kind === 'DefineKeyedOwnPropertyInLiteral').map(([, state]) => state);
    writeSync(1, JSON.stringify({ states }));
  });`;

const folders = new Folders();
afterAll(() => folders.remove());

describe('process.nextTick', () => {
  it('is as fast after a collection in idle time as before', async () => {
    const folder = folders.make();
    const env = { DATABASE_URL: await openDatabase(folder), NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(WATCH)}` };
    const service = await startProcess({ folder, env });
    const ask = async () => {
      for (let requests = 0; requests < 5; requests++) await (await fetch(`${service.origin}/health/live`)).text();
    };
    await ask();
    service.signal('SIGUSR2');
    await ask();
    const { stdout } = await service.stop();
    const { states } = JSON.parse(stdout.split('\n').at(-1) ?? '') as { states: string[] };
    expect(states).toEqual(Array(5).fill('MONOMORPHIC'));
  });
});
