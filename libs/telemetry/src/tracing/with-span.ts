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
import { isTracing } from './tracing.js';

/** The name that our own spans go under. */
export const TRACER = 'carillon';

/** What a span is about. Never a token, a key, an address of a person or what a message says. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** What a piece of work may still say of its own span. */
export interface OpenSpan {
  set(attributes: SpanAttributes): void;
  /** The work went wrong, though it did not reject. */
  fail(reason: string): void;
}

const nowhere: OpenSpan = { set: () => undefined, fail: () => undefined };

/** How a span is made. */
export interface SpanOptions {
  /**
   * The span above, as a `traceparent`, where that is not what this process is doing at the moment. The
   * latter is then linked to, so that either can be found from the other.
   */
  readonly parent?: string | null;
  readonly attributes?: SpanAttributes;
  /** `client` for a request to somebody else. */
  readonly kind?: 'internal' | 'client';
}

/**
 * Runs work in a span of its own, and settles as the work does. Without tracing it is a plain call.
 */
export function withSpan<Result>(
  name: string,
  options: SpanOptions,
  work: (span: OpenSpan) => Promise<Result>,
): Promise<Result> {
  return isTracing() ? traced(name, options, work) : work(nowhere);
}

/**
 * The span that this process is in, as a `traceparent` of W3C Trace Context, to be kept with what will be
 * done later; null without tracing, or outside of any span.
 */
export function currentTraceParent(): string | null {
  if (!isTracing()) return null;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

async function traced<Result>(
  name: string,
  { parent, attributes = {}, kind = 'internal' }: SpanOptions,
  work: (span: OpenSpan) => Promise<Result>,
): Promise<Result> {
  const current = context.active();
  const above = parent === undefined || parent === null ? current : contextOf(parent);
  const settings = { attributes, kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL };
  const links = above === current ? [] : linksTo(current);
  const span = trace.getTracer(TRACER).startSpan(name, { ...settings, links }, above);
  try {
    return await context.with(trace.setSpan(above, span), () => work(opened(span)));
  } catch (error) {
    // The class alone: what an error says may hold anything.
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

const classOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);
