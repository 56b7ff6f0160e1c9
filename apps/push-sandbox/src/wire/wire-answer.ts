/** What a provider answers to one request. */
export interface WireAnswer {
  readonly status: number;
  /** The provider's word for a refusal: Apple's `reason`, Google's error code; null when it is accepted. */
  readonly reason: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `retry-after` with the given seconds, or no header. */
export function retryAfterHeader(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}
