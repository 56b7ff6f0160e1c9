/** The name of the tracer of our own spans. */
export const TRACER = 'carillon';

/** The class of an error, for a span: the message may contain secrets. */
export const classOf = (error: unknown): string =>
  error instanceof Error ? error.name : typeof error;
