import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Ask, onTheWire } from './ask.js';
import { BUILT, ROOT } from './build.js';
import type { Case } from './cases.js';
import { onLoadCpu } from './cpus.js';

const CONNECTIONS = '32';
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

/** A case with its deck in the format of the load generator. */
export interface LoadedCase extends Case {
  readonly loaded: LoadedDeck;
}

/** A deck of requests in the format of the load generator. */
export interface LoadedDeck {
  /** @param origin such as `http://127.0.0.1:3000` */
  send(origin: string, seconds: number): Promise<Load>;
}

/** @param folder for the decks of the load generator */
export function loadCases(cases: readonly Case[], folder: string): LoadedCase[] {
  return cases.map((one) => ({ ...one, loaded: loadDeck(one.deck, join(folder, `${one.name}.requests`)) }));
}

function loadDeck(deck: readonly Ask[], file: string): LoadedDeck {
  writeFileSync(file, GENERATOR === 'wrk' ? deck.map(onTheWire).join('\0') : JSON.stringify(deck));
  return {
    async send(origin, seconds) {
      const command =
        GENERATOR === 'wrk'
          ? [
              'wrk',
              '-t1',
              `-c${CONNECTIONS}`,
              `-d${seconds}s`,
              '-s',
              join(ROOT, 'test/bench/harness/wrk.lua'),
              origin,
              '--',
              file,
            ]
          : [
              process.execPath,
              join(BUILT, 'test/bench/harness/autocannon.js'),
              origin,
              file,
              CONNECTIONS,
              String(seconds),
            ];
      const [program, ...args] = onLoadCpu(...command);
      const { stdout } = await run(program, args);
      // wrk prints a report before the JSON.
      return JSON.parse(stdout.slice(stdout.indexOf('{'))) as Load;
    },
  };
}
