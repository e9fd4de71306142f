import type { Case } from './cases.js';
import type { Contender } from './contenders.js';
import type { Judgement } from './goals.js';
import type { Figure, Results } from './results.js';
import { figure, table, times, whole } from './table.js';

/** Returns the results as Markdown tables. */
export function report(
  results: Results,
  contenders: readonly Contender[],
  cases: readonly Case[],
  judgements: readonly Judgement[],
): string {
  const rivals = contenders.filter(({ name }) => name !== 'ours');
  const grid = (cell: (contender: string, name: string) => string, columns = contenders) =>
    table(
      ['', ...columns.map(({ title }) => title)],
      cases.map((one) => [one.title, ...columns.map((contender) => cell(contender.name, one.name))]),
    );
  const values = (of: Figure, write = figure) => grid((contender, name) => write(results.value(contender, name, of)));
  const ratios = (of: Figure) => grid((rival, name) => times(results.ratio('ours', rival, name, of)), rivals);
  const sections = {
    'Requests per second': values((of) => of.requestsPerSecond, whole),
    'Requests per second, ours compared with each': ratios((of) => of.requestsPerSecond),
    'Processor time per request, µs': values((of) => of.cpuMicroseconds),
    'Processor time per request, ours compared with each': ratios((of) => of.cpuMicroseconds),
    '99th percentile of latency, ms': values((of) => of.p99Ms),
    'Peak resident memory, MiB': table(
      contenders.map(({ title }) => title),
      [contenders.map(({ name }) => whole(results.peakMemoryMiB(name)))],
    ),
    Goals: table(
      ['', 'figure', 'of', 'beside', 'at most', 'is', ''],
      judgements.map((one) => [
        one.case,
        one.figure,
        one.of,
        one.beside,
        times(one.atMost),
        times(one.is),
        one.verdict,
      ]),
    ),
  };
  return Object.entries(sections)
    .map(([title, body]) => `### ${title}\n\n${body}\n`)
    .join('\n');
}
