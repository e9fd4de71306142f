import { until } from './until.js';

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
