import { Logger } from '@nestjs/common';
import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import type { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { BullMQOtel } from 'bullmq-otel';
import { setLogContext, setStoreCallListener, VERSION } from '#platform/core';
import type { OutboundProxy } from '#platform/outbound';
import type { TracingOptions } from './open-provider.js';
import { traceStoreCall } from './trace-store-call.js';

let provider: NodeTracerProvider | undefined;

/** Whether this process creates spans. */
export const isTracing = (): boolean => provider !== undefined;

/**
 * Starts tracing in this process; does nothing for null. Await it before the modules of the program are created. `proxy` is the
 * way to the collector; undefined for a direct one.
 */
export async function startTracing(
  program: string,
  options: TracingOptions | null,
  proxy?: OutboundProxy,
): Promise<void> {
  if (options === null || provider !== undefined) return;
  // Loads hundreds of modules, therefore only with tracing.
  const { openProvider } = await import('./open-provider.js');
  provider = openProvider(program, options, proxy);
  provider.register();
  setLogContext(currentSpan);
  setStoreCallListener(traceStoreCall);
  reportTrouble();
}

/** Exports the remaining spans and ends tracing. Never rejects. */
export async function stopTracing(): Promise<void> {
  const stopped = provider;
  provider = undefined;
  if (stopped === undefined) return;
  await stopped.shutdown().catch(() => undefined);
  for (const api of [trace, context, propagation, diag]) api.disable();
}

/** The ids of the current span for entries of the log, as the conventions of OpenTelemetry name them. */
function currentSpan(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

const ignore = () => undefined;

/** Logs the first failed export only. */
function reportTrouble(): void {
  const logger = new Logger('Tracing');
  let isLogged = false;
  const warnOnce = () => {
    if (!isLogged)
      logger.warn('Spans cannot be sent: the collector refuses them or is unreachable.');
    isLogged = true;
  };
  diag.setLogger(
    { error: warnOnce, warn: warnOnce, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/**
 * Options for BullMQ that continue the trace of a producer in the processing of its jobs. Empty without tracing.
 */
export function queueTelemetry(): { readonly telemetry?: BullMQOtel } {
  if (!isTracing()) return {};
  return { telemetry: new BullMQOtel({ tracerName: 'bullmq', version: VERSION }) };
}
