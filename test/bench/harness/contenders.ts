export interface Contender {
  readonly name: string;
  readonly title: string;
  /** Path of the built file, absolute or in the folder of the built service. Its first line names the program that runs it. */
  readonly file: string;
  /** Environment variables besides those of its databases. */
  readonly env?: Readonly<Record<string, string>>;
  /** Sends constants copied from our responses, so it runs only the cases in which all responses are identical. */
  readonly constant?: true;
  /** The cases that it is for, if not all. */
  readonly cases?: readonly string[];
}

export const OURS: Contender = { name: 'ours', title: 'ours', file: 'src/main.js' };

/**
 * Our service with other settings.
 * @param settings such as `ACCESS_LOG=sampled`
 */
export function withSettings(settings: readonly string[]): Contender {
  const env = Object.fromEntries(settings.map((setting) => setting.split('=', 2)));
  return { ...OURS, name: 'with', title: `ours with ${settings.join(' ')}`, env };
}

export const RIVALS: readonly Contender[] = [
  { name: 'hand-tuned', title: 'hand-tuned Fastify', file: 'test/bench/contenders/hand-tuned/main.js' },
  { name: 'same-core', title: 'same core, plain Fastify', file: 'test/bench/contenders/same-core/main.js' },
  { name: 'usual-nest', title: 'usual NestJS', file: 'test/bench/contenders/usual-nest/main.js' },
  { name: 'bare', title: 'bare node:http', file: 'test/bench/contenders/bare.js', constant: true },
  // The difference between two runs of our service is noise.
  { ...OURS, name: 'again', title: 'ours again (noise)' },
  { ...OURS, name: 'no-log', title: 'ours without the log of events', env: { EVENTS: 'off' }, cases: ['create'] },
  {
    name: 'listener',
    title: 'ours with a listener that inserts a row',
    file: 'test/bench/contenders/listener/main.js',
    cases: ['create'],
  },
];
