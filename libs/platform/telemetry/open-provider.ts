import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { VERSION } from '#platform/core';
import { outboundAgents, type OutboundProxy } from '#platform/outbound';

/** A collector without a response must not delay a shutdown. */
const EXPORT_TIMEOUT_MS = 3000;
/** People look for a trace soon after the request. */
const EXPORT_EVERY_MS = 1000;

/** The destination of spans. */
export interface TracingOptions {
  /** The URL of a collector for OTLP over HTTP, without `/v1/traces`. */
  readonly endpoint: string;
  /** The ratio of the traces to keep, from 0 to 1; the same for all programs. */
  readonly ratio: number;
}

/**
 * Creates the provider that exports the spans of a program to the collector, with the attributes of
 * OTEL_RESOURCE_ATTRIBUTES, which its library reads, and a random id of the process. `proxy` is the way to the collector;
 * undefined for a direct one.
 */
export function openProvider(
  program: string,
  options: TracingOptions,
  proxy?: OutboundProxy,
): NodeTracerProvider {
  const agents = outboundAgents(proxy, { keepAlive: true });
  const ratio = new TraceIdRatioBasedSampler(options.ratio);
  return new NodeTracerProvider({
    resource: detectResources({ detectors: [envDetector, serviceInstanceIdDetector] }).merge(
      resourceFromAttributes({ 'service.name': program, 'service.version': VERSION }),
    ),
    sampler: new ParentBasedSampler({
      root: ratio,
      // A client may name a trace, but not decide about its sampling.
      remoteParentSampled: ratio,
    }),
    spanProcessors: [
      new BatchSpanProcessor(
        new OTLPTraceExporter({
          url: new URL('v1/traces', withSlash(options.endpoint)).href,
          timeoutMillis: EXPORT_TIMEOUT_MS,
          httpAgentOptions: (protocol) => (protocol === 'https:' ? agents.tls : agents.plain),
        }),
        { exportTimeoutMillis: EXPORT_TIMEOUT_MS, scheduledDelayMillis: EXPORT_EVERY_MS },
      ),
    ],
  });
}

const withSlash = (address: string) => (address.endsWith('/') ? address : `${address}/`);
