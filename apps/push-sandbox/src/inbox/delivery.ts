import type { ApnsEnvironment, Platform } from '../wire/platform.js';

/** One request to send, as it came in. */
export interface Attempt {
  readonly platform: Platform;
  /** Set for what came to Apple's environment for apps in development. */
  readonly environment?: ApnsEnvironment;
  /** Empty when the request named none. */
  readonly token: string;
  readonly topic: string | null;
  /** The request's headers without its credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed payload; the text itself when it was not JSON. */
  readonly payload: unknown;
  /** The same for two attempts that a phone could not tell apart; see DeliveryTally. */
  readonly identity: string;
}

/** What became of an attempt. */
export interface Outcome {
  /** The provider's HTTP status; null when it never decided on one, and then nothing reached a phone. */
  readonly status: number | null;
  /** Why it was refused, or what kept it from being decided; null when it was accepted. */
  readonly reason: string | null;
}

/** An attempt and its outcome, in the form of the control API. A phone shows those with status 200. */
export interface Delivery extends Omit<Attempt, 'identity'>, Outcome {
  readonly id: number;
  /** UNIX seconds, with milliseconds behind the point. */
  readonly received_at: number;
}
