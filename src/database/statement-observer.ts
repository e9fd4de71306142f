import { type SpanOptions, SpanKind } from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
import { Histogram, type Registry } from 'prom-client';
import { SampledLog } from '../platform/logging/sampled-log.js';
import { inSpan } from '../platform/tracing/spans.js';

const MAX_STATEMENT_LENGTH = 300;

/** The first table of a statement. */
const TABLE = /\b(?:FROM|INTO|UPDATE|JOIN)\s+"?(\w+)/i;

interface Labels {
  readonly db_operation_name: string;
  readonly db_collection_name: string;
}

interface Statement {
  readonly labels: Labels;
  readonly name: string;
  readonly span: SpanOptions;
}

/** Measures statements, and logs slow ones: each for the first time, then their number. */
export class StatementObserver {
  private readonly log = new SampledLog('Database', 'warn', {
    first: 'slow statement',
    others: 'more slow statements',
  });
  private readonly durations: Histogram<keyof Labels> | undefined;
  private readonly locks: Histogram<'phase'> | undefined;
  private readonly known = new LRUCache<string, Statement>({ max: 1_000 });

  /** @param registry none for command lines */
  constructor(
    private readonly system: 'sqlite' | 'postgresql',
    readonly slowMs: number,
    registry?: Registry,
  ) {
    if (registry === undefined) return;
    const common = { buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10], registers: [registry] };
    this.durations = new Histogram({
      ...common,
      name: 'db_client_operation_duration_seconds',
      help: 'Duration of statements by operation and table.',
      labelNames: ['db_operation_name', 'db_collection_name'],
    });
    this.locks = new Histogram({
      ...common,
      name: 'petstore_write_lock_seconds',
      help: 'How long transactions on SQLite waited for the connection that writes, and held it.',
      labelNames: ['phase'],
    });
    if (system === 'sqlite') for (const phase of ['waited', 'held']) this.locks.zero({ phase });
  }

  /** Runs a statement, measures it, and adds it to the trace. On PostgreSQL, a slow one is logged while it still runs. */
  async watch<T>(sql: string, run: () => Promise<T>): Promise<T> {
    const sinceMs = performance.now();
    const { labels, name, span } = this.statementOf(sql);
    try {
      return await inSpan(name, span, run);
    } finally {
      const durationMs = performance.now() - sinceMs;
      this.durations?.observe(labels, durationMs / 1_000);
      if (this.system === 'sqlite' && durationMs > this.slowMs) this.logSlow(sql, durationMs);
    }
  }

  /** Measures how long a transaction waited for the connection that writes to SQLite, and how long it kept it. */
  observeWriteLock(waitedMs: number, heldMs: number): void {
    this.locks?.observe({ phase: 'waited' }, waitedMs / 1_000);
    this.locks?.observe({ phase: 'held' }, heldMs / 1_000);
  }

  /**
   * @param sql values are parameters, and not logged
   * @param blockers the sessions that it waits for
   */
  logSlow(sql: string, durationMs: number, blockers: readonly object[] = []): void {
    this.log.add(
      { statement: shortened(sql) },
      { durationMs: Math.round(durationMs), ...(blockers.length > 0 && { blockers }) },
    );
  }

  private statementOf(sql: string): Statement {
    const known = this.known.get(sql);
    if (known !== undefined) return known;
    const operation = /\w+/.exec(sql)?.[0].toUpperCase() ?? '';
    const [, table = ''] = TABLE.exec(sql) ?? [];
    const attributes = {
      'db.system.name': this.system,
      'db.operation.name': operation,
      'db.collection.name': table,
      'db.query.text': shortened(sql),
    };
    const statement = {
      labels: { db_operation_name: operation, db_collection_name: table },
      name: `${operation} ${table}`.trim(),
      span: { kind: SpanKind.CLIENT, attributes },
    };
    this.known.set(sql, statement);
    return statement;
  }
}

function shortened(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_STATEMENT_LENGTH);
}
