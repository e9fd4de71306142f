import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname } from 'node:path';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { Database } from '../database/database.js';
import { OldRows } from '../database/old-rows.js';
import { Env, VERSION } from '../platform/config/env.js';
import { StandardOutput } from '../platform/logging/standard-output.js';
import { startedTasks } from '../platform/recurring-task.js';

const INTERVAL_MS = 20;

/**
 * Metrics of Node.js that are left out: gauges with the names of counters, whose values others have by type, lags, which
 * each scrape resets, so that two scrapers would halve them, and the utilization. A histogram takes the place of the lags.
 */
const LEFT_OUT = /^nodejs_(active_[a-z]+_total$|eventloop_(lag|utilization))/;
/** The utilization is measured by a timer that nobody can stop. */
const NEVER_MS = 2 ** 31 - 1;

export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: NEVER_MS });
  for (const { name } of registry.getMetricsAsArray()) if (LEFT_OUT.test(name)) registry.removeSingleMetric(name);
  return registry;
}

/** The metrics of what can run out in this process. Names are those of OpenTelemetry where it has them. */
@Injectable()
export class ProcessMetrics implements OnApplicationShutdown {
  private readonly timer: NodeJS.Timeout;

  constructor(registry: Registry, database: Database, oldRows: OldRows, { REVISION }: Env) {
    const registers = [registry];
    new Gauge({
      name: 'petstore_build_info',
      help: 'The version of the service, and the commit that it was built from.',
      labelNames: ['version', 'revision'],
      registers,
    }).set({ version: VERSION, revision: REVISION }, 1);
    const connections: Gauge<'state'> = new Gauge({
      name: 'db_client_connections',
      help: 'Connections of the pool to PostgreSQL, or the one that writes to SQLite, by state.',
      labelNames: ['state'],
      registers,
      collect: () => {
        for (const state of ['used', 'idle'] as const) connections.set({ state }, database.connections[state]);
      },
    });
    const waiting: Gauge = new Gauge({
      name: 'db_client_connection_pending_requests',
      help: 'Requests and transactions that wait for a connection to PostgreSQL, or to write to SQLite.',
      registers,
      collect: () => waiting.set(database.connections.waiting),
    });
    new Gauge({
      name: 'petstore_memory_limit_bytes',
      help: 'Memory that this process can use: of its container, or of the machine.',
      registers,
    }).set(Math.min(process.constrainedMemory() || Infinity, totalmem()));
    if (database.isEmbedded) {
      const size = new Gauge({
        name: 'petstore_disk_size_bytes',
        help: 'Size of the file system of the SQLite database.',
        registers,
      });
      const disk: Gauge = new Gauge({
        name: 'petstore_disk_available_bytes',
        help: 'Space left for the SQLite database.',
        registers,
        collect: () => {
          const { bavail, blocks, bsize } = statfsSync(dirname(String(database.options.database)));
          disk.set(bavail * bsize);
          size.set(blocks * bsize);
        },
      });
    } else {
      const difference: Gauge = new Gauge({
        name: 'petstore_database_clock_difference_seconds',
        help: 'How far the clock of this instance is ahead of that of PostgreSQL.',
        registers,
        collect: () => difference.set(oldRows.clockDifferenceMs / 1_000),
      });
    }
    const dropped: Counter = new Counter({
      name: 'petstore_log_lines_dropped_total',
      help: 'Log lines that were dropped because the reader of standard output stalled or is gone.',
      registers,
      collect: () => {
        dropped.reset();
        dropped.inc(StandardOutput.get().droppedLines);
      },
    });
    const failures: Counter<'task'> = new Counter({
      name: 'petstore_background_failures_total',
      help: 'Failed runs of background tasks.',
      labelNames: ['task'],
      registers,
      collect: () => {
        failures.reset();
        for (const { name, failures: count } of startedTasks) failures.inc({ task: name }, count);
      },
    });
    const intervals: Gauge<'task'> = new Gauge({
      name: 'petstore_background_interval_seconds',
      help: 'Time between runs of background tasks. Some rest for up to an hour while there are no requests.',
      labelNames: ['task'],
      registers,
      collect: () => {
        for (const { name, intervalSeconds } of startedTasks) intervals.set({ task: name }, intervalSeconds);
      },
    });
    const successes: Gauge<'task'> = new Gauge({
      name: 'petstore_background_last_success_timestamp_seconds',
      help: 'When background tasks last succeeded, in Unix time.',
      labelNames: ['task'],
      registers,
      collect: () => {
        for (const { name, lastSuccessSeconds } of startedTasks) successes.set({ task: name }, lastSuccessSeconds);
      },
    });
    const delay = new Histogram({
      name: 'nodejs_eventloop_delay_seconds',
      help: 'How late the event loop runs a timer.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    });
    let dueMs = performance.now() + INTERVAL_MS;
    this.timer = setInterval(() => {
      const nowMs = performance.now();
      delay.observe(Math.max(0, nowMs - dueMs) / 1_000);
      dueMs = nowMs + INTERVAL_MS;
    }, INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}
