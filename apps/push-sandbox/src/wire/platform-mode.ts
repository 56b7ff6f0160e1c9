/** How a provider behaves until told otherwise. */
export interface PlatformMode {
  readonly mode:
    | 'ok'
    | 'down'
    | 'hang'
    | 'reset'
    | 'slow'
    | 'throttle'
    | 'bad_credentials'
    | 'goaway'
    | 'blackhole';
  /** How long each answer waits. */
  readonly delay_ms?: number | undefined;
  /** What `throttle` asks the sender to wait, in seconds. */
  readonly retry_after?: number | undefined;
}
