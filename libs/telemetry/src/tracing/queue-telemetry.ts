import { BullMQOtel } from 'bullmq-otel';
import { VERSION } from '#core';
import { isTracing } from './tracing.js';

/**
 * Options for BullMQ's queues and workers: a job then carries the trace of whoever added it, and its
 * processing is a span below. Empty without tracing: jobs are then what they always were.
 */
export function queueTelemetry(): { readonly telemetry?: BullMQOtel } {
  if (!isTracing()) return {};
  return { telemetry: new BullMQOtel({ tracerName: 'bullmq', version: VERSION }) };
}
