import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';

/** Nest's account of its own start, which is of interest only where that goes wrong. */
const START_UP_CONTEXTS = new Set<unknown>(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

type Method = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** Writes Nest's log calls as one JSON object a line to standard output. An object as message becomes the line's fields. */
export class PinoLogger implements LoggerService {
  private readonly pino;

  constructor(level: string) {
    const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'message', formatters: { level: levelName } };
    // Little is logged, and the last lines before a crash are those that matter.
    this.pino = pino(options, pino.destination({ sync: true }));
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(START_UP_CONTEXTS.has(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest passes the name of the logging class last, and a stack before it. */
  private write(method: Method, message: unknown, rest: readonly unknown[]): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 ? rest[0] : undefined;
    const fields = message instanceof Error ? { message: message.message, stack: message.stack } : message;
    this.pino[method]({ ...(typeof fields === 'object' ? fields : { message: String(fields) }), context, stack });
  }
}

function levelName(level: string): { level: string } {
  return { level };
}
