import { parseArgs } from 'node:util';

/** Options of a benchmark run, from flags and from the variables BENCH_STARTS and BENCH_SECONDS. */
export interface Options {
  /** Number of fresh starts of each contender. */
  readonly starts: number;
  /** Number of one-second measurements of each contender per case, after five seconds of warm-up. */
  readonly seconds: number;
  /** Names of the cases, and of the contenders besides our service, to run. Empty for all. */
  readonly only: readonly string[];
  readonly against: readonly string[];
  /** A commit of the service to compare with, as the contender `before`. */
  readonly before: string | undefined;
  /** Settings of the service to compare with, as the contender `with`. */
  readonly with: readonly string[];
  /** The databases for the catalogue and the counters. */
  readonly on: Servers;
  /** File for all individual measurements. */
  readonly json: string | undefined;
}

/** The embedded default, or PostgreSQL and Redis. */
export type Servers = 'sqlite' | 'postgres';

const USAGE = `npm run bench -- [--on postgres] [--only list,get] [--against hand-tuned,bare] [--before COMMIT] [--with ACCESS_LOG=sampled] [--starts 5] [--seconds 3] [--json FILE]`;

export function readOptions(): Options {
  const text = { type: 'string' } as const;
  const flags = {
    on: text,
    only: text,
    against: text,
    before: text,
    with: text,
    starts: text,
    seconds: text,
    json: text,
  };
  const { values } = parseArgs({ options: flags });
  return {
    starts: positive('starts', values.starts ?? process.env['BENCH_STARTS'] ?? '5'),
    seconds: positive('seconds', values.seconds ?? process.env['BENCH_SECONDS'] ?? '3'),
    on: servers(values.on ?? 'sqlite'),
    only: list(values.only),
    against: list(values.against),
    before: values.before,
    with: list(values.with),
    json: values.json,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`${name} must be an integer above 0.\n${USAGE}`);
}

function servers(name: string): Servers {
  if (name === 'sqlite' || name === 'postgres') return name;
  throw new Error(`on must be sqlite or postgres.\n${USAGE}`);
}

function list(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(',').map((name) => name.trim());
}

/** Returns the members with these names, or all members if there are no names. */
export function select<T extends { readonly name: string }>(all: readonly T[], names: readonly string[]): T[] {
  const unknown = names.filter((name) => !all.some((one) => one.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `There is no ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}.\n${USAGE}`,
    );
  }
  return all.filter(({ name }) => names.length === 0 || names.includes(name));
}
