export interface Contender {
  readonly name: string;
  readonly title: string;
  /** Path of the built file, absolute or in the folder of the built service. Its first line names the program that runs it. */
  readonly file: string;
  /** Sends constants copied from our responses, so it runs only the cases in which all responses are identical. */
  readonly constant?: true;
}

export const OURS: Contender = { name: 'ours', title: 'ours', file: 'src/main.js' };

export const RIVALS: readonly Contender[] = [
  { name: 'hand-tuned', title: 'hand-tuned Fastify', file: 'test/bench/contenders/hand-tuned/main.js' },
  { name: 'same-core', title: 'same core, plain Fastify', file: 'test/bench/contenders/same-core/main.js' },
  { name: 'usual-nest', title: 'usual NestJS', file: 'test/bench/contenders/usual-nest/main.js' },
  { name: 'bare', title: 'bare node:http', file: 'test/bench/contenders/bare.js', constant: true },
  // The difference between two runs of our service is noise.
  { ...OURS, name: 'again', title: 'ours again (noise)' },
];
