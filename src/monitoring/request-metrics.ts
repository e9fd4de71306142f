import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Gauge, Histogram, Registry } from '@prometheus-io/client';
import { responseInProgress } from '../http/connections/closing.js';
import type { ResponseListener } from '../http/hooks/responses.js';
import { UNMATCHED_ROUTE } from '../platform/tracing/spans.js';

/** The method of requests that reached no route, by the conventions of OpenTelemetry. */
const OTHER_METHOD = '_OTHER';

/** The duration of requests by method, route and status, under the names of OpenTelemetry. */
@Injectable()
export class RequestMetrics {
  private readonly durations;

  constructor(private readonly registry: Registry) {
    this.durations = new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'Number and duration of requests by method, route and status.',
      labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
      registers: [registry],
    });
  }

  readonly observeResponse: ResponseListener = (request, { statusCode }) => {
    const { method, routeOptions, principal } = request;
    const { access, url } = routeOptions.config;
    // Anybody can make these, of any path and method, so they have no series of their own.
    const isRefused = principal === undefined && access !== 'public' && statusCode >= 400 && statusCode < 500;
    const isUnmatched = url === undefined || isRefused;
    const own = isUnmatched ? labels(OTHER_METHOD, UNMATCHED_ROUTE, statusCode) : labels(method, url, statusCode);
    this.durations.observe(own, (performance.now() - request.receivedAtMs) / 1000);
  };

  /** Counts what can run out: connections, and requests in progress on them. They are looked at only when metrics are read. */
  observeConnections(server: Server): void {
    // A request that Node's HTTP parser refused has no method, no route and no duration.
    server.on('refused', (status: number) => {
      this.durations.observe(labels(OTHER_METHOD, UNMATCHED_ROUTE, status), 0);
    });
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    const open: Gauge = new Gauge({
      name: 'petstore_open_connections',
      help: 'Open connections of clients. MAX_CONNECTIONS limits them.',
      registers: [this.registry],
      collect: () => open.set(sockets.size),
    });
    new Gauge({
      name: 'petstore_max_connections',
      help: 'MAX_CONNECTIONS: connections of clients that are accepted.',
      registers: [this.registry],
    }).set(server.maxConnections);
    const active: Gauge = new Gauge({
      name: 'http_server_active_requests',
      help: 'Requests in progress.',
      registers: [this.registry],
      collect: () => active.set([...sockets].filter((socket) => responseInProgress(socket) !== undefined).length),
    });
  }
}

function labels(method: string, route: string, status: number) {
  return { http_request_method: method, http_route: route, http_response_status_code: status };
}
