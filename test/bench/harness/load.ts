import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTheWire } from './ask.js';
import { BUILT, ROOT } from './build.js';
import type { Case } from './cases.js';
import { onLoadCpu } from './cpus.js';

const CONNECTIONS = '32';
const WRK = ['wrk', '-t1', `-c${CONNECTIONS}`, '-s', join(ROOT, 'test/bench/harness/wrk.lua')];
const AUTOCANNON = [process.execPath, join(BUILT, 'test/bench/harness/autocannon.js')];
const run = promisify(execFile);

/** The results of a load generator. */
export interface Load {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  readonly requests: number;
  /** Responses with a status of 400 or higher. */
  readonly refused: number;
  /** Failed connections and timed-out responses. */
  readonly broken: number;
}

export const GENERATOR = spawnSync('wrk', ['-v']).error === undefined ? 'wrk' : 'autocannon';

/** A case whose deck the load generator can send. */
export interface LoadedCase extends Case {
  /** @param origin such as `http://127.0.0.1:3000` */
  send(origin: string, seconds: number): Promise<Load>;
}

/** @param folder for the decks in the format of the load generator */
export function loadCases(cases: readonly Case[], folder: string): LoadedCase[] {
  return cases.map((one): LoadedCase => {
    const file = join(folder, `${one.name}.requests`);
    writeFileSync(file, GENERATOR === 'wrk' ? one.deck.map(onTheWire).join('\0') : JSON.stringify(one.deck));
    return { ...one, send: (origin, seconds) => send(file, origin, seconds) };
  });
}

async function send(file: string, origin: string, seconds: number): Promise<Load> {
  const command =
    GENERATOR === 'wrk'
      ? [...WRK, `-d${seconds}s`, origin, '--', file]
      : [...AUTOCANNON, origin, file, CONNECTIONS, String(seconds)];
  const [program, ...args] = onLoadCpu(...command);
  const { stdout } = await run(program, args);
  // wrk prints a report before the JSON.
  return JSON.parse(stdout.slice(stdout.indexOf('{'))) as Load;
}
