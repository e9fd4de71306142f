import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { AdmissionTally } from '../rate-limit/index.js';

/** What Prometheus scrapes: requests and their latencies, admissions, and the process with its event-loop delay. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly durations: Histogram<'method' | 'route' | 'status'>;

  constructor(tally: AdmissionTally) {
    collectDefaultMetrics({ register: this.registry });
    this.durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Requests by method, route and status, and how long they took.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers: [this.registry],
    });
    const admissions = new Counter({
      name: 'petstore_admissions_total',
      help: 'Decisions of admission by outcome and plan.',
      labelNames: ['outcome', 'plan'],
      registers: [this.registry],
      collect: () => {
        admissions.reset();
        for (const { plan, outcome, count } of tally.entries()) admissions.inc({ plan, outcome }, count);
      },
    });
  }

  /** Takes note of an answered request. */
  observe(request: FastifyRequest, reply: FastifyReply): void {
    const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
    this.durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The Prometheus text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}
