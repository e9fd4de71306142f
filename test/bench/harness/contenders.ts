export interface Contender {
  readonly name: string;
  readonly title: string;
  /** Built file, from the folder of the built service; its first line says how it is run. */
  readonly file: string;
  /** Answers with constants that are taken from ours, so it can take part only where one answer is right for all. */
  readonly constant?: true;
}

export const OURS: Contender = { name: 'ours', title: 'ours', file: 'src/main.js' };

export const RIVALS: readonly Contender[] = [
  { name: 'hand-tuned', title: 'hand-tuned Fastify', file: 'test/bench/contenders/hand-tuned/main.js' },
  { name: 'same-core', title: 'same core, plain Fastify', file: 'test/bench/contenders/same-core/main.js' },
  { name: 'usual-nest', title: 'usual NestJS', file: 'test/bench/contenders/usual-nest/main.js' },
  { name: 'bare', title: 'bare node:http', file: 'test/bench/contenders/bare.js', constant: true },
  // What differs between ours and ours is noise.
  { ...OURS, name: 'again', title: 'ours again (noise)' },
];
