import { buildContenders } from './harness/build.js';
import { benchCases, type Case, PETS } from './harness/cases.js';
import { stayOnLoadCpu } from './harness/cpus.js';
import { type Contender, OURS, RIVALS } from './harness/contenders.js';
import { earlierVersion } from './harness/earlier-version.js';
import { readOptions, select } from './harness/options.js';
import { say } from './harness/progress.js';
import { start } from './harness/running.js';
import { seedDatabase } from './harness/seed.js';
import { median, percentile } from './harness/statistics.js';
import { figure, table } from './harness/table.js';
import { sendAtRate } from './open-loop/send-at-rate.js';

/** A run of requests at a constant rate, against a contender that has just started and has served the phases before. */
interface Phase {
  readonly title: string;
  readonly perSecond: number;
  readonly seconds: number;
}

const WARM_UP = 'warm-up';
/** A commit for each create, as the other contender makes it, takes a disk more time than 4,000 a second leave. */
const HIGH_RATES: Readonly<Record<string, number>> = { create: 1_000 };

const { starts, seconds, only, against, before, on } = readOptions();

function phasesOf(one: Case): readonly Phase[] {
  const high = HIGH_RATES[one.name] ?? 4_000;
  return [
    { title: 'first 10 s, 500/s', perSecond: 500, seconds: 10 },
    { title: WARM_UP, perSecond: high, seconds: 5 },
    { title: '500/s', perSecond: 500, seconds },
    { title: `${high.toLocaleString('en')}/s`, perSecond: high, seconds },
  ];
}

stayOnLoadCpu();
buildContenders();
const seed = await seedDatabase(PETS, on);
const contenders = [
  OURS,
  ...select(RIVALS, against.length > 0 ? against : ['hand-tuned']),
  ...(before === undefined ? [] : [earlierVersion(before)]),
];
const cases = select(benchCases(seed.key), only.length > 0 ? only : ['list', 'get']);
/** The 99th percentiles of all starts, by case, phase and contender. */
const p99Ms = new Map<string, number[]>();
const keyOf = (one: Case, phase: Phase, { name }: Contender) => `${one.name} ${phase.title} ${name}`;

/** Runs one case through all phases on a fresh start of a contender. */
async function measure(contender: Contender, one: Case): Promise<void> {
  const running = await start(contender, seed);
  try {
    for (const phase of phasesOf(one)) {
      const latenciesMs = await sendAtRate(running.port, one.deck, phase.perSecond, phase.seconds);
      const key = keyOf(one, phase, contender);
      p99Ms.set(key, [...(p99Ms.get(key) ?? []), percentile(latenciesMs, 99)]);
    }
  } finally {
    await running.stop();
  }
}

try {
  for (let round = 0; round < starts; round++) {
    say(`start ${round + 1} of ${starts}`);
    for (const one of cases) for (const contender of contenders) await measure(contender, one);
  }
  const rows = cases.flatMap((one) =>
    phasesOf(one)
      .filter(({ title }) => title !== WARM_UP)
      .map((phase) => [
        `${one.title}, ${phase.title}`,
        ...contenders.map((contender) => figure(median(p99Ms.get(keyOf(one, phase, contender)) ?? []))),
      ]),
  );
  const head = ['', ...contenders.map(({ title }) => title)];
  process.stdout.write(`### 99th percentile of latency at a constant rate, ms\n\n${table(head, rows)}\n`);
} finally {
  await seed.remove();
}
