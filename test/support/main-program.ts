import { jest } from '@jest/globals';
import type { AppOptions } from '../../src/extensions/app-options.js';
import { StandardOutput } from '../../src/platform/logging/standard-output.js';
import { startService } from '../../src/start-service.js';

export type LogLine = Readonly<Record<string, unknown>>;

/** The lines of a log that contain a text. */
export const linesOf = (output: string, text: string): LogLine[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(text))
    .map((line) => JSON.parse(line) as LogLine);

/** Collects what services of this process write to standard output from now on. */
export function captureOutput(): () => string {
  let output = '';
  // Not as a mock, which jest would restore while the service can still log.
  StandardOutput.prototype.write = (line) => void (output += line);
  return () => output;
}

export interface MainProgram {
  readonly output: () => string;
  readonly stderr: string;
  readonly origin: string;
  readonly port: number;
  readonly ended: Promise<number>;
  /** As if the process got a signal, or an error that nothing handles. */
  signal(name: 'SIGTERM' | 'SIGINT'): void;
  fail(error: Error, event?: 'uncaughtException' | 'unhandledRejection'): void;
  stop(): Promise<number>;
}

const EVENTS = ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'] as const;

/**
 * Does what `main.js` does, in this process: `process` is a copy that jest makes for the file. Returns when the service
 * listens, or has failed to start. A spec can start each database file once, as its lock ends with the process.
 * @param folder working directory during the start
 */
export async function startMain(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
  options: Omit<AppOptions, 'env'> = {},
): Promise<MainProgram> {
  const output = captureOutput();
  const before = { cwd: process.cwd(), env: { ...process.env } };
  let stderr = '';
  const others = new Set(EVENTS.flatMap((event) => process.listeners(event as 'SIGTERM')));
  const added = (event: (typeof EVENTS)[number]) =>
    process.listeners(event as 'SIGTERM').filter((listener) => !others.has(listener));
  let hasEnded = false;
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  const exit = (code: number) => {
    for (const event of EVENTS) for (const listener of added(event)) process.off(event, listener);
    hasEnded = true;
    resolve(code);
  };
  process.exit = exit as typeof process.exit;
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
  process.chdir(folder);
  Object.assign(process.env, { HOST: '127.0.0.1', PORT: '0', ...settings });
  try {
    await startService(options);
  } finally {
    process.chdir(before.cwd);
    for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
    Object.assign(process.env, before.env);
    write.mockRestore();
  }
  const own = new Map(EVENTS.map((event) => [event, added(event)]));
  const emit = (event: (typeof EVENTS)[number], value: unknown) => {
    process.exit = exit as typeof process.exit;
    for (const listener of own.get(event) ?? []) Reflect.apply(listener, process, [value]);
  };
  const address = String(linesOf(output(), '"listening"')[0]?.['address'] ?? '');
  const port = Number(/\d+$/.exec(address)?.[0]);
  return {
    output,
    stderr,
    port,
    origin: `http://127.0.0.1:${port}`,
    ended,
    signal: (name) => emit(name, name),
    fail: (error, event = 'uncaughtException') => emit(event, error),
    stop() {
      if (!hasEnded) emit('SIGINT', 'SIGINT');
      return ended;
    },
  };
}
