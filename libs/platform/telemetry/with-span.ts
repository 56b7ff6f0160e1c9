import {
  type Attributes,
  context,
  type Context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { classOf, TRACER } from './tracer.js';
import { isTracing } from './tracing.js';

/** Attributes of a span: never a token, a key, personal data or the content of a message. */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The span of running work. */
interface OpenSpan {
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed although the work does not reject. */
  fail(reason: string): void;
}

const noSpan: OpenSpan = { set: () => undefined, fail: () => undefined };

const spanKinds = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
} as const;

interface SpanOptions {
  /**
   * The `traceparent` of another parent than the current span. The current span is then linked.
   */
  readonly parent?: string | null;
  readonly attributes?: SpanAttributes;
  /** `client` for a request to another server, `server` for one of another program. */
  readonly kind?: keyof typeof spanKinds;
}

/** Runs work in a new span, and settles like the work. Without tracing it only calls the work. */
export function withSpan<Result>(
  name: string,
  options: SpanOptions,
  work: (span: OpenSpan) => Promise<Result>,
): Promise<Result> {
  return isTracing() ? traced(name, options, work) : work(noSpan);
}

/**
 * The current span as a `traceparent` of W3C Trace Context, to continue the trace later; null without tracing or outside
 * of a span.
 */
export function currentTraceParent(): string | null {
  if (!isTracing()) return null;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** Ends a span that was started with `startSpan`. */
export type EndSpan = (attributes: SpanAttributes) => void;

/**
 * Starts a span below the span of a stored `traceparent`, for work without a promise of its own. Null without tracing.
 */
export function startSpan(name: string, parent: string): EndSpan | null {
  if (!isTracing()) return null;
  const span = trace.getTracer(TRACER).startSpan(name, {}, contextOf(parent));
  return (attributes) => span.setAttributes(attributes).end();
}

/** Links a span to the spans of stored `traceparent`s. */
export type LinkSpan = (traceParents: Iterable<string>) => void;

/** A function that later links the span that is current now. Null without tracing or outside of a span. */
export function linkOfCurrentSpan(): LinkSpan | null {
  const span = isTracing() ? trace.getActiveSpan() : undefined;
  if (span === undefined) return null;
  return (traceParents) => {
    for (const traceParent of traceParents) span.addLinks(linksTo(contextOf(traceParent)));
  };
}

async function traced<Result>(
  name: string,
  { parent, attributes = {}, kind = 'internal' }: SpanOptions,
  work: (span: OpenSpan) => Promise<Result>,
): Promise<Result> {
  const current = context.active();
  const above = parent === undefined || parent === null ? current : contextOf(parent);
  const settings = { attributes, kind: spanKinds[kind] };
  const links = above === current ? [] : linksTo(current);
  const span = trace.getTracer(TRACER).startSpan(name, { ...settings, links }, above);
  try {
    return await context.with(trace.setSpan(above, span), () => work(opened(span)));
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: classOf(error) });
    throw error;
  } finally {
    span.end();
  }
}

const contextOf = (traceparent: string): Context =>
  propagation.extract(ROOT_CONTEXT, { traceparent });

function linksTo(current: Context) {
  const span = trace.getSpanContext(current);
  return span === undefined ? [] : [{ context: span }];
}

const opened = (span: Span): OpenSpan => ({
  set: (attributes: Attributes) => void span.setAttributes(attributes),
  fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
});
