import { SpanKind } from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
import { Histogram, type Registry } from '@prometheus-io/client';
import { SampledLog } from '../platform/logging/sampled-log.js';
import { inSpan } from '../platform/tracing/spans.js';

const MAX_STATEMENT_LENGTH = 300;

/** Measures statements, and logs slow ones: each for the first time, then their number. */
export class StatementObserver {
  private readonly log = new SampledLog('Database', 'warn', {
    first: 'slow statement',
    others: 'more slow statements',
  });
  private readonly durations: Histogram<'db_operation_name' | 'db_collection_name'> | undefined;
  private readonly locks: Histogram<'phase'> | undefined;
  private readonly known = new LRUCache<string, ReturnType<typeof described>>({
    max: 1_000,
    memoMethod: (sql) => described(sql, this.system),
  });

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
    const { labels, name, span } = this.known.memo(sql);
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

  /** @param blockers the sessions that it waits for */
  logSlow(sql: string, durationMs: number, blockers: readonly object[] = []): void {
    const found = { durationMs: Math.round(durationMs), ...(blockers.length > 0 && { blockers }) };
    this.log.add({ statement: shortened(sql) }, found);
  }
}

function described(sql: string, system: string) {
  const operation = /\w+/.exec(sql)?.[0].toUpperCase() ?? '';
  const [, firstTable = ''] = /\b(?:FROM|INTO|UPDATE|JOIN)\s+"?(\w+)/i.exec(sql) ?? [];
  const attributes = {
    'db.system.name': system,
    'db.operation.name': operation,
    'db.collection.name': firstTable,
    'db.query.text': shortened(sql),
  };
  return {
    labels: { db_operation_name: operation, db_collection_name: firstTable },
    name: `${operation} ${firstTable}`.trim(),
    span: { kind: SpanKind.CLIENT, attributes },
  };
}

function shortened(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_STATEMENT_LENGTH);
}
