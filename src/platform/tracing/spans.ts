import { type SpanOptions, SpanStatusCode, trace } from '@opentelemetry/api';

/** Stands for the route of a request that matches none, in logs, metrics and traces. */
export const UNMATCHED_ROUTE = 'unmatched';

const tracer = trace.getTracer('petstore');

/** Runs work as a span of the current trace. Without a trace it only runs the work. */
export function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (trace.getActiveSpan() === undefined) return work();
  return tracer.startActiveSpan(name, options, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export function currentTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}
