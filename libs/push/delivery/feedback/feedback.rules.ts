import { createHmac, hash } from 'node:crypto';
import type { DeliveryState, NotificationKind, Platform } from '#push/jobs';

/** A delivery that is about to end, with what its worker knows. */
export interface EndedDelivery {
  /** The UUID of the notification to the device, the same for each attempt. */
  readonly id: string;
  readonly notificationId: string;
  readonly deviceId: number;
  readonly platform: Platform;
  readonly kind: NotificationKind;
  /** The APNs topic; null for others, and where no attempt was made. */
  readonly appId: string | null;
  readonly state: Exclude<DeliveryState, 'pending'>;
  readonly reason: string | null;
  /** With the last one. */
  readonly attempts: number;
}

/** An event of the webhook and of the log: without a token, a text, a name or an address. */
export interface FeedbackEvent {
  readonly id: string;
  /** UNIX seconds. */
  readonly ended_at: number;
  readonly organisation_id: number | null;
  readonly notification_id: string;
  readonly kind: NotificationKind;
  readonly platform: Platform;
  readonly app_id: string | null;
  readonly outcome: Exclude<DeliveryState, 'pending'>;
  readonly reason: string | null;
  readonly attempts: number;
  /** The fingerprint of the token; null for a phone that was removed before. */
  readonly device: string | null;
  readonly user_id?: number;
}

const PERCENT_STEPS = 10_000;

/** Whether a delivery is reported. Of the delivered ones a share is, chosen by their ids: a repeated one is chosen again. */
export function isReported(
  { state, id }: Pick<EndedDelivery, 'state' | 'id'>,
  successPercent: number,
): boolean {
  if (state !== 'delivered') return true;
  if (successPercent === 0) return false;
  const step = Number.parseInt(hash('sha256', id).slice(0, 8), 16) % PERCENT_STEPS;
  return step < (successPercent * PERCENT_STEPS) / 100;
}

/**
 * The header `Carillon-Signature` of a body: the time in UNIX seconds, and for each secret the HMAC-SHA-256 of `{time}.{body}`. The
 * receiver accepts one that it can compute, so that a secret can be replaced.
 */
export function signatureOf(body: string, secrets: readonly string[], seconds: number): string {
  const signatures = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'),
  );
  return [`t=${seconds}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}
