import type { Servers } from './options.js';
import type { Figure, Results } from './results.js';

/** What a contender may take, as a share of what another takes in the same second. */
interface Goal {
  readonly case: string;
  readonly figure: 'processor time' | '99th percentile';
  readonly of: string;
  readonly beside: string;
  readonly atMost: number;
}

export interface Judgement extends Goal {
  readonly is: number;
  readonly verdict: 'met' | 'missed' | 'too noisy';
}

const BESIDE_PEER = { of: 'ours', beside: 'hand-tuned' } as const;
/** What the service adds to its own core: other ratios to the peer double from one processor to another, this one does not. */
const BESIDE_CORE = { of: 'ours', beside: 'same-core' } as const;
/** Two runs of one version that differ by more say that the machine was too busy to judge. */
const NOISE = 0.1;

const FIGURES: Readonly<Record<Goal['figure'], Figure>> = {
  'processor time': (of) => of.cpuMicroseconds,
  '99th percentile': (of) => of.p99Ms,
};

function processorTime(of: Pick<Goal, 'of' | 'beside'>, shares: Readonly<Record<string, number>>): Goal[] {
  const goal = { ...of, figure: 'processor time' } as const;
  return Object.entries(shares).map(([name, atMost]) => ({ ...goal, case: name, atMost }));
}

/** What the log of events, and a listener that writes a row, may add to a create. */
function eventCosts(log: number, listener: number): Goal[] {
  const goal = { case: 'create', figure: 'processor time' } as const;
  return [
    { ...goal, of: 'ours', beside: 'no-log', atMost: log },
    { ...goal, of: 'listener', beside: 'ours', atMost: listener },
  ];
}

const GOALS: Readonly<Record<Servers, readonly Goal[]>> = {
  sqlite: [
    ...processorTime(BESIDE_PEER, { list: 0.7, create: 1.15 }),
    ...processorTime(BESIDE_CORE, { list: 1.5, get: 1.95, 'get-random': 1.95, create: 1.3, mix: 1.65, '401': 1.3 }),
    ...eventCosts(1.15, 1.2),
  ],
  postgres: [
    ...processorTime(BESIDE_PEER, { list: 0.55, get: 1, create: 1.95 }),
    ...processorTime(BESIDE_CORE, { list: 1.4, get: 1.5, 'get-random': 1.45, create: 1.35, mix: 1.5, '401': 1.25 }),
    // Identifiers that become visible in ascending order make creates wait for each other.
    { ...BESIDE_PEER, case: 'create', figure: '99th percentile', atMost: 2.75 },
    ...eventCosts(1.35, 1.5),
  ],
};

/** Judges what ran beside the other contender of its goal, and beside a second run of ours, which shows the noise. */
export function judge(results: Results, on: Servers): Judgement[] {
  return GOALS[on].flatMap((goal) => {
    const ratio = (of: string, beside: string) => results.ratio(of, beside, goal.case, FIGURES[goal.figure]);
    const [is, noise] = [ratio(goal.of, goal.beside), ratio('ours', 'again')];
    if (Number.isNaN(is) || Number.isNaN(noise)) return [];
    const isNoisy = noise > 1 + NOISE || noise < 1 / (1 + NOISE);
    return [{ ...goal, is, verdict: isNoisy ? 'too noisy' : is <= goal.atMost ? 'met' : 'missed' }];
  });
}
