import type { Platform } from '#push/jobs';

/** The comparable form of a token. Apple's tokens are hexadecimal: `AB` and `ab` are the same device. */
export function comparableToken(platform: Platform, token: string): string {
  return platform === 'apns' ? token.toLowerCase() : token;
}

/** The behaviour of a provider until its next change. */
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
  /** The delay of each answer. */
  readonly delay_ms?: number | undefined;
  /** The Retry-After of `throttle`, in seconds. */
  readonly retry_after?: number | undefined;
  /** `hang` and `reset`: whether phones show the push and only its answer is lost. */
  readonly shown?: boolean | undefined;
}
