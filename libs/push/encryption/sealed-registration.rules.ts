import { z } from 'zod';
import type { PhonePlatform } from '#push/jobs';

/** In characters; tokens of both providers are far shorter. */
const LONGEST_TOKEN = 4096;
/** Apple's limit of bundle ids. */
const LONGEST_APP_ID = 155;
const DAY_SECONDS = 86_400;

/** A token that a phone has sealed to the push service. */
export interface SealedToken {
  readonly platform: PhonePlatform;
  readonly token: string;
  /** The APNs topic; null for FCM. */
  readonly appId: string | null;
  /** When it was sealed by the phone's clock, in UNIX seconds. */
  readonly timestamp: number;
}

const token = z.string().min(1).max(LONGEST_TOKEN);
// PostgreSQL cannot store a NUL.
const fcmToken = token.regex(/^[^\0]+$/);
const timestamp = z.int();

const registration = z.discriminatedUnion('token_kind', [
  z.object({
    token_kind: z.literal('apns'),
    token: token.regex(/^(?:[0-9a-f]{2})+$/i),
    timestamp,
    ios_app_id: z
      .string()
      .max(LONGEST_APP_ID)
      .regex(/^[.a-zA-Z0-9-]+$/),
  }),
  z.object({
    token_kind: z.literal('fcm'),
    token: fcmToken,
    timestamp,
    ios_app_id: z.null().optional(),
  }),
]);

/** Parses the JSON that a phone has sealed; null if it breaks a rule. Unknown members are ignored. */
export function parseSealedToken(plain: Buffer): SealedToken | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(plain));
  } catch {
    return null;
  }
  const { data } = registration.safeParse(value);
  if (data === undefined) return null;
  const { token_kind: platform, token: given, ios_app_id: appId } = data;
  return { platform, token: given, appId: appId ?? null, timestamp: data.timestamp };
}

/** Whether a registration is more than a day old, or of a clock that is more than a day ahead. `now` is in UNIX seconds. */
export const isOutOfTime = ({ timestamp: sealedAt }: SealedToken, now: number): boolean =>
  Math.abs(now - sealedAt) > DAY_SECONDS;
