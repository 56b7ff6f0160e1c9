import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { type EndedStoreCall, errorCode } from '#platform/core';
import { classOf, TRACER } from './tracer.js';

/**
 * Creates the span of a call to a store below the current span, without parameters or the text of the statement. Calls of
 * periodic tasks have no span above them, and get none.
 */
export function traceStoreCall({ store, name, startedAt, error }: EndedStoreCall): void {
  if (trace.getActiveSpan() === undefined) return;
  const span = trace.getTracer(TRACER).startSpan(name, {
    kind: SpanKind.CLIENT,
    startTime: startedAt,
    attributes: {
      'db.system.name': store,
      [store === 'redis' ? 'db.operation.name' : 'db.query.summary']: name,
    },
  });
  if (error !== undefined) {
    // Only the code or the class: the message may contain values.
    span.setAttribute('error.type', String(errorCode(error) ?? classOf(error)));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(performance.now());
}
