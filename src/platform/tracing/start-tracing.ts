import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { type Env, VERSION } from '../config/env.js';
import { UNMATCHED_ROUTE } from './spans.js';
import { SampledLog } from '../logging/sampled-log.js';

const LAST_EXPORT_MS = 1_000;

/**
 * Exports a trace of each request to `OTEL_EXPORTER_OTLP_ENDPOINT`. The libraries are loaded only then; they read the other
 * variables of OpenTelemetry themselves. Call it before the service is created.
 * @returns exports what is left, and ends
 */
export async function startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT, REVISION }: Env): Promise<() => Promise<void>> {
  if (OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return () => Promise.resolve();
  const { FastifyOtelInstrumentation } = await import('@fastify/otel');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources');
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const { diag, DiagLogLevel } = await import('@opentelemetry/api');

  const messages = { first: 'traces were not exported', others: 'more traces were not exported' };
  const failures = new SampledLog('Tracing', 'warn', messages);
  const report = (message: string) => failures.add({}, { reason: message });
  diag.setLogger({ error: report, warn: report, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN);

  const service = { 'service.name': 'petstore', 'service.version': VERSION, 'vcs.ref.head.revision': REVISION };
  const exporter = new OTLPTraceExporter({ url: `${OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes(service).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  const requests = new FastifyOtelInstrumentation({
    registerOnInitialization: true,
    instrumentHooks: false,
    instrumentHandler: false,
    requestHook: (span, { method, routeOptions: { url = UNMATCHED_ROUTE } }: FastifyRequest) => {
      span.updateName(`${method} ${url}`);
      // The pattern in place of the path, which may contain a key by mistake.
      span.setAttribute('url.path', url);
    },
  });
  requests.setTracerProvider(provider);
  return async () => {
    // Otherwise it would add itself to further services of the process, too.
    requests.disable();
    const ended = provider.shutdown().catch((error: Error) => report(error.message));
    const late = delay(LAST_EXPORT_MS, undefined, { ref: false }).then(() => report('the collector did not respond'));
    await Promise.race([ended, late]);
    failures.flush();
  };
}
