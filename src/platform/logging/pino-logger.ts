import type { LoggerService } from '@nestjs/common';
import { type Level, pino } from 'pino';
import { StandardOutput } from './standard-output.js';

/** Contexts of Nest's start-up log, which matters only if the start fails. */
const START_UP = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);
/** Warns of two applications in a process. Two databases of one application keep the service from starting. */
const DATA_SOURCES = 'DataSourceNameRegistry';

/** Writes Nest's log calls as one JSON object per line to standard output. The fields of an object message become fields of the line. */
export class PinoLogger implements LoggerService {
  private readonly pino;

  constructor(level: string) {
    const options = {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: { level: (name: string) => ({ level: name }) },
    };
    const output = StandardOutput.get();
    this.pino = pino(options, output);
    output.onDropped = (count) =>
      this.warn({ message: 'log lines were dropped because the reader stalled', count }, 'Logging');
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(START_UP.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }

  readonly fatal = (message: unknown, ...rest: unknown[]): void => this.write('fatal', message, rest);
  /** Nest reports that it cannot listen before it rejects, and whoever starts the service reports that. */
  readonly error = (message: unknown, ...rest: unknown[]): void =>
    this.write(rest.at(-1) === 'NestApplication' ? 'debug' : 'error', message, rest);
  readonly warn = (message: unknown, ...rest: unknown[]): void =>
    this.write(rest.at(-1) === DATA_SOURCES ? 'debug' : 'warn', message, rest);
  readonly debug = (message: unknown, ...rest: unknown[]): void => this.write('debug', message, rest);
  readonly verbose = (message: unknown, ...rest: unknown[]): void => this.write('trace', message, rest);

  /** Nest passes the name of the logging class last, and a stack before it. */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 ? rest[0] : undefined;
    const fields = message instanceof Error ? { message: message.message, stack: message.stack } : message;
    this.pino[level]({ ...(typeof fields === 'object' ? fields : { message: String(fields) }), context, stack });
  }
}
