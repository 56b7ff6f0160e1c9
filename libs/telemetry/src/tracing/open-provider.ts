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

/** What makes a program's spans and sends them to the collector. */
export function openProvider(program: string, options: TracingOptions): NodeTracerProvider {
  const ratio = new TraceIdRatioBasedSampler(options.ratio);
  return new NodeTracerProvider({
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
}

const withSlash = (address: string) => (address.endsWith('/') ? address : `${address}/`);
