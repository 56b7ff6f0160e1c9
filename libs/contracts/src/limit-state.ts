/** How a rate limit stands after a call was charged to it: by its widest rule, if it has several. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** UNIX seconds, whole. */
  readonly resetsAt: number;
}
