import type { Servers } from './options.js';
import type { Figure, Results } from './results.js';

/** What our service may take, as a share of what the hand-tuned contender takes in the same second. */
interface Goal {
  readonly case: string;
  readonly figure: 'processor time' | '99th percentile';
  readonly atMost: number;
}

export interface Judgement extends Goal {
  readonly is: number;
  readonly verdict: 'met' | 'missed' | 'too noisy';
}

const PEER = 'hand-tuned';
/** Two runs of one version that differ by more say that the machine was too busy to judge. */
const NOISE = 0.1;

const FIGURES: Readonly<Record<Goal['figure'], Figure>> = {
  'processor time': (of) => of.cpuMicroseconds,
  '99th percentile': (of) => of.p99Ms,
};

function processorTime(shares: Readonly<Record<string, number>>): Goal[] {
  return Object.entries(shares).map(([name, atMost]) => ({ case: name, figure: 'processor time', atMost }));
}

const GOALS: Readonly<Record<Servers, readonly Goal[]>> = {
  sqlite: processorTime({ list: 0.45, get: 1.15, 'get-random': 1.25, create: 0.45, mix: 0.8, '401': 1 }),
  postgres: [
    ...processorTime({ list: 0.45, get: 0.7, 'get-random': 1, create: 1.05, mix: 1, '401': 0.9 }),
    // Identifiers that become visible in ascending order make creates wait for each other, but not for long.
    { case: 'create', figure: '99th percentile', atMost: 1.5 },
  ],
};

/** Judges the cases that ran beside the hand-tuned contender, and beside a second run of ours, which shows the noise. */
export function judge(results: Results, on: Servers): Judgement[] {
  return GOALS[on].flatMap((goal) => {
    const ratio = (other: string) => results.ratio('ours', other, goal.case, FIGURES[goal.figure]);
    const [is, noise] = [ratio(PEER), ratio('again')];
    if (Number.isNaN(is) || Number.isNaN(noise)) return [];
    const isNoisy = noise > 1 + NOISE || noise < 1 / (1 + NOISE);
    return [{ ...goal, is, verdict: isNoisy ? 'too noisy' : is <= goal.atMost ? 'met' : 'missed' }];
  });
}
