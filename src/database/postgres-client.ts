import { Client, type ClientConfig, type QueryConfig, type QueryResult } from 'pg';

/** A statement with a timeout of its own, in milliseconds. */
interface TimedStatement extends QueryConfig {
  readonly query_timeout: number;
}

/**
 * A connection that may be lost at any time. Node ends the process where nobody listens to an error, as for a moment
 * between the pool and who is given a connection of it; whoever uses the connection next is told all the same.
 */
export class PostgresClient extends Client {
  private readonly timeoutMs: number | undefined;
  private unanswered = 0;

  constructor(config: ClientConfig = {}) {
    super(config);
    this.timeoutMs = config.query_timeout;
    this.on('error', () => undefined);
  }

  /**
   * Statements of a pipeline are timed from when they are sent, though the server does one after the other: so each has
   * the time of those before it as well. What is not a text with values, as all of TypeORM's are, goes through as it is,
   * and the signature stands for all that there are.
   */
  override query(...args: never[]): never {
    const [text, values = [], ...rest]: unknown[] = args;
    if (this.timeoutMs === undefined || typeof text !== 'string' || !Array.isArray(values) || rest.length > 0) {
      return Reflect.apply(super.query, this, args) as never;
    }
    this.unanswered += 1;
    const statement: TimedStatement = { text, values, query_timeout: this.timeoutMs * this.unanswered };
    const answer: Promise<QueryResult> = super.query(statement);
    return answer.finally(() => (this.unanswered -= 1)) as never;
  }
}
