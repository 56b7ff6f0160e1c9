import type { ApnsEnvironment } from '#push/jobs';
import type { SandboxPlatform } from '../provider/platform.js';

/** The members of an object. */
export type Fields = Readonly<Record<string, unknown>>;

/** The members of a part of a payload; none if it is not an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Whether a provider has accepted a push with this status. */
export const isAccepted = (status: number | null): boolean =>
  status !== null && status >= 200 && status < 300;

/** One request to send. */
export interface Attempt {
  readonly platform: SandboxPlatform;
  /** Set for requests to Apple's sandbox environment. */
  readonly environment?: ApnsEnvironment;
  /** Empty if the request has none. */
  readonly token: string;
  readonly topic: string | null;
  /** The request's headers without its credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed payload, or its text if it is not JSON. */
  readonly payload: unknown;
  /** Web push: the content as the browser reads it, or null if it cannot. */
  readonly decrypted?: unknown;
  /** Equal for two attempts that show the same notification; see DeliveryTally. */
  readonly identity: string;
}

/** The outcome of an attempt. */
export interface Outcome {
  /** The provider's HTTP status; null if it has not answered. */
  readonly status: number | null;
  /** Why it was refused or not answered; null if it was accepted. */
  readonly reason: string | null;
  /** Whether the phone gets the push, and shows the notification. */
  readonly shown: boolean;
  /** The phone was off for longer than the time to live of the push. */
  readonly expired: boolean;
  /** How late the answer to this phone is. */
  readonly delay_ms: number;
}

/** An attempt and its outcome, in the form of the control API. */
export interface Delivery extends Omit<Attempt, 'identity' | 'decrypted'>, Outcome {
  readonly id: number;
  /** The encrypted content, if a phone or browser of the sandbox can read it; else null. */
  readonly decrypted: unknown;
  /** UNIX seconds with milliseconds. */
  readonly received_at: number;
}
