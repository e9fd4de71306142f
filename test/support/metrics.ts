import { Registry } from '../../src/index.js';
import type { TestApp } from '../../src/testing/index.js';
import { ask } from './http.js';
import { until } from './until.js';

/**
 * The value of a metric as it is now, NaN if there is none.
 * @param series its name, with all its labels in their order
 */
export async function metricOf({ app }: Pick<TestApp, 'app'>, series: string): Promise<number> {
  const lines = (await app.get(Registry).metrics()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${series} `))?.slice(series.length));
}

/**
 * Returns a text of `/metrics` that was rendered after the call: the service renders it at most once a second.
 * @param read reads the text
 */
export async function freshMetrics(read: () => Promise<string>): Promise<string> {
  const old = await read();
  let text = old;
  // Each rendering has another time of the processor.
  await until(async () => (text = await read()) !== old);
  return text;
}

/** All metrics of a process, as they are now. */
export const metricsOf = (port: number): Promise<string> =>
  freshMetrics(async () => (await ask(port, { path: '/metrics' })).text());

/** The value of a metric without labels in the text of `/metrics`. */
export const valueIn = (metrics: string, name: string): number =>
  Number(new RegExp(`^${name} ([0-9.e+]+)$`, 'm').exec(metrics)?.[1]);
