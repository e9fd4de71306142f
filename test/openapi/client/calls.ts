import { ApiError, Client } from './client.ts';

/* A program that makes the calls that it is given, and does not take the time to wait. */

interface Call {
  name: string;
  given?: unknown[];
  query?: object;
  options?: object;
  later?: object;
}

const [baseUrl = '', key = '', calls = '[]'] = process.argv.slice(2);
const waits: number[] = [];
const results: unknown[] = [];
const wait = async (seconds: number) => {
  waits.push(seconds);
};
const store = new Client(key, { baseUrl, wait, longestWaitSeconds: 30 });
type Result = Promise<unknown> | AsyncGenerator<unknown>;
const methods = store as unknown as Record<string, (...values: unknown[]) => Result>;
for (const { name, given = [], query, options, later } of JSON.parse(calls) as Call[]) {
  const result = methods[name]?.(...given, ...(query ? [query] : []), options);
  if (later) Object.assign(given.at(-1) as object, later);
  const all = result && Symbol.asyncIterator in result ? Array.fromAsync(result) : result;
  const done = await all?.catch((error: Error) => {
    if (!(error instanceof ApiError)) return 'another error';
    const { status, code, message } = error;
    return { status, code, message };
  });
  results.push(done);
}
const exact = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
process.stdout.write(JSON.stringify({ results, waits }, exact));
