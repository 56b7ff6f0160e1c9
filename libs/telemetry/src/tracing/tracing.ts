import { Logger } from '@nestjs/common';
import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { VERSION } from '#core';

/** A collector that hangs must not hold up a shutdown. */
const EXPORT_TIMEOUT_MS = 3000;
/** Who looks for a trace has just made the request. */
const EXPORT_EVERY_MS = 1000;

/** Where the spans of a program go. */
export interface TracingOptions {
  /** The address of a collector that speaks OTLP over HTTP, without `/v1/traces`. */
  readonly endpoint: string;
  /** Which part of the traces is kept, from 0 to 1; the same for all programs. */
  readonly ratio: number;
}

let provider: NodeTracerProvider | undefined;

/** Whether spans are made in this process. */
export const isTracing = (): boolean => provider !== undefined;

/**
 * Has the process make spans from here on, and send them to the collector; null leaves it as it is, and
 * then nothing that asks for a span costs anything. Call it before the program's modules are put together.
 */
export function startTracing(program: string, options: TracingOptions | null): void {
  if (options === null || provider !== undefined) return;
  const ratio = new TraceIdRatioBasedSampler(options.ratio);
  provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': program, 'service.version': VERSION }),
    sampler: new ParentBasedSampler({
      root: ratio,
      // Whoever calls may name a trace, but not decide that it is kept.
      remoteParentSampled: ratio,
    }),
    spanProcessors: [
      new BatchSpanProcessor(
        new OTLPTraceExporter({
          url: new URL('v1/traces', withSlash(options.endpoint)).href,
          timeoutMillis: EXPORT_TIMEOUT_MS,
        }),
        { exportTimeoutMillis: EXPORT_TIMEOUT_MS, scheduledDelayMillis: EXPORT_EVERY_MS },
      ),
    ],
  });
  provider.register();
  reportTrouble();
}

/** Sends what is still to be sent, and makes no more spans. Never rejects. */
export async function stopTracing(): Promise<void> {
  const stopped = provider;
  provider = undefined;
  if (stopped === undefined) return;
  await stopped.shutdown().catch(() => undefined);
  for (const api of [trace, context, propagation, diag]) api.disable();
}

const withSlash = (address: string) => (address.endsWith('/') ? address : `${address}/`);

const ignore = () => undefined;

/** A collector that is away is told of once, and not at every batch. */
function reportTrouble(): void {
  const logger = new Logger('Tracing');
  let isTold = false;
  const tell = () => {
    if (!isTold) logger.warn('Spans cannot be sent: the collector refuses them, or is away.');
    isTold = true;
  };
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
