import { createRequire } from 'node:module';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, pino } from 'pino';
import type PinoPretty from 'pino-pretty';
import { describe } from '../errors/domain-error.js';
import { StandardOutput } from './standard-output.js';

/** Contexts of Nest's start-up log, which matters only if the start fails. */
const START_UP = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);
/** Contexts of errors that Nest also rejects with. */
const REJECTING = new Set(['NestApplication', 'ExceptionHandler']);
/** Warns of two applications in a process. Two databases of one application keep the service from starting. */
const DATA_SOURCES = 'DataSourceNameRegistry';

/**
 * Writes Nest's log calls as one JSON object per line to standard output. The fields of an object message become fields of the
 * line, and errors texts with their stacks and causes. On a terminal, the lines are for people instead.
 */
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
    this.pino = pino(options, process.stdout.isTTY ? forPeople(output) : output);
    output.onDropped = (count) =>
      this.warn({ message: 'log lines were dropped because they could not be written in time', count }, 'Logging');
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(START_UP.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }

  readonly fatal = (message: unknown, ...rest: unknown[]): void => this.write('fatal', message, rest);
  /** Nest reports why it cannot start or listen before it rejects, and whoever starts the service reports that. */
  readonly error = (message: unknown, ...rest: unknown[]): void =>
    this.write(REJECTING.has(String(rest.at(-1))) ? 'debug' : 'error', message, rest);
  readonly warn = (message: unknown, ...rest: unknown[]): void =>
    this.write(rest.at(-1) === DATA_SOURCES ? 'debug' : 'warn', message, rest);
  readonly debug = (message: unknown, ...rest: unknown[]): void => this.write('debug', message, rest);
  readonly verbose = (message: unknown, ...rest: unknown[]): void => this.write('trace', message, rest);

  /** Nest passes the name of the logging class last. A text before it is a stack. */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const context = typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
    const others = context === undefined ? rest : rest.slice(0, -1);
    const errors = [message, ...others].filter((one) => one instanceof Error);
    const details = others.filter((one) => one !== undefined && !(one instanceof Error));
    const stack = typeof details[0] === 'string' ? details.shift() : undefined;
    this.pino[level]({
      ...fieldsOf(message),
      ...(errors.length > 0 && { error: errors.map((error) => describe(error, 'stack')).join('\n') }),
      context,
      stack,
      ...(details.length > 0 && { details }),
    });
  }
}

/** JSON would have nothing of an error. */
function fieldsOf(message: unknown): object {
  if (message instanceof Error) return { message: message.message };
  if (typeof message !== 'object' || message === null) return { message: String(message) };
  const described = Object.entries(message).filter(([, value]) => value instanceof Error);
  return { ...message, ...Object.fromEntries(described.map(([name, error]) => [name, describe(error, 'stack')])) };
}

/** JSON all the same without the optional package, which nobody else needs. */
function forPeople(output: StandardOutput): DestinationStream {
  try {
    const { isColorSupported, prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
    const format = prettyFactory({
      colorize: isColorSupported,
      translateTime: 'SYS:HH:MM:ss',
      messageKey: 'message',
      messageFormat: '{context}: {message}',
      ignore: 'context',
      // Otherwise each of the many migrations of a new database has a line.
      customPrettifiers: { pending: (names) => String(names).replaceAll(',', ', ') },
    });
    return { write: (line) => output.write(format(line)) };
  } catch {
    return output;
  }
}
