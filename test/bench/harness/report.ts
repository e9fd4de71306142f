import type { Case } from './cases.js';
import type { Contender } from './contenders.js';
import type { Measurement } from './measure.js';
import type { Servers } from './options.js';
import { median } from './statistics.js';
import { figure, table, times, whole } from './table.js';
import { TARGETS } from './targets.js';

/** Returns the results as Markdown tables. Figures and ratios are medians over all seconds. */
export function report(
  measurements: readonly Measurement[],
  contenders: readonly Contender[],
  cases: readonly Case[],
  on: Servers,
): string {
  const rivals = contenders.filter(({ name }) => name !== 'ours');
  const values = (contender: string, name: string, of: (measurement: Measurement) => number) =>
    measurements.filter((one) => one.contender === contender && one.case === name).map(of);
  const value = (...what: Parameters<typeof values>) => median(values(...what));
  // Compare measurements of the same second, because the speed of the machine varies over time.
  const ratio = (contender: string, name: string) => {
    const rates = (one: string) => values(one, name, (of) => of.requestsPerSecond);
    const theirs = rates(contender);
    return median(rates('ours').map((rate, second) => rate / (theirs[second] ?? Number.NaN)));
  };
  const grid = (of: (contender: Contender, one: Case) => string, columns: readonly Contender[]) =>
    table(
      ['', ...columns.map(({ title }) => title)],
      cases.map((one) => [one.title, ...columns.map((contender) => of(contender, one))]),
    );
  const peak = ({ name }: Contender) => median(maxima(measurements.filter((one) => one.contender === name)));
  const targets = TARGETS[on].filter(
    ({ against, case: name }) =>
      contenders.some((one) => one.name === against) && cases.some((one) => one.name === name),
  );

  return [
    [
      'Requests per second',
      grid(({ name }, one) => whole(value(name, one.name, (of) => of.requestsPerSecond)), contenders),
    ],
    ['Ours compared with each', grid(({ name }, one) => times(ratio(name, one.name)), rivals)],
    [
      'Processor time per request, µs',
      grid(({ name }, one) => figure(value(name, one.name, (of) => of.cpuMicroseconds)), contenders),
    ],
    [
      '99th percentile of latency, ms',
      grid(({ name }, one) => figure(value(name, one.name, (of) => of.p99Ms)), contenders),
    ],
    [
      'Peak resident memory, MiB',
      table(
        contenders.map(({ title }) => title),
        [contenders.map((one) => whole(peak(one)))],
      ),
    ],
    [
      'Goals for the ratio',
      table(
        ['', 'against', 'must', 'is', ''],
        targets.map(({ case: name, against, must }) => {
          const is = ratio(against, name);
          return [name, against, times(must), times(is), is >= must ? 'met' : 'missed'];
        }),
      ),
    ],
  ]
    .map(([title, body]) => `### ${title}\n\n${body}\n`)
    .join('\n');
}

/** Returns the maximum of each start, because peak memory grows from case to case. */
function maxima(measurements: readonly Measurement[]): number[] {
  const last = measurements.at(-1)?.case;
  return measurements.filter((one) => one.case === last).map(({ peakMemoryMiB }) => peakMemoryMiB);
}
