import { z } from 'zod';
import type { WireAnswer } from '../wire/wire-answer.js';
import { fcmInvalidMessage, fcmInvalidToken, fcmUnreadableMessage } from './fcm-answer.rules.js';

const largestPayloadBytes = 4096;
const longestTtlSeconds = 2_419_200;
const longestTokenCharacters = 4096;
const token = /^[\x21-\x7e]+$/;
const duration = /^(\d+)(\.\d{1,9})?s$/;
/** Keys of `data` that FCM keeps to itself. */
const reservedKey = /^(from|message_type|google\..*|gcm\..*|google|gcm)$/;

/**
 * A message in the form that the JSON schema of FCM v1 demands, as far as the sandbox looks. Other
 * fields of `android`, `notification`, `webpush` and so on are let through.
 */
const sendRequest = z.strictObject({
  message: z.strictObject({
    name: z.string().optional(),
    token: z.string().optional(),
    topic: z.string().optional(),
    condition: z.string().optional(),
    data: z.record(z.string(), z.string()).optional(),
    notification: z.looseObject({ title: z.string(), body: z.string() }).partial().optional(),
    android: z
      .looseObject({
        ttl: z.string().regex(duration),
        priority: z.string().regex(/^(normal|high)$/i),
        collapse_key: z.string(),
      })
      .partial()
      .optional(),
    apns: z.looseObject({}).optional(),
    webpush: z.looseObject({}).optional(),
    fcm_options: z.looseObject({}).optional(),
  }),
});

export type FcmMessage = z.infer<typeof sendRequest>['message'];

/** A message as it may be shown on a phone, or the answer that refuses it. */
export type FcmReading = { readonly message: FcmMessage } | { readonly refusal: WireAnswer };

/** Reads the body of `messages:send` and checks it as Google does. */
export function readFcmMessage(body: unknown): FcmReading {
  const parsed = sendRequest.safeParse(body);
  if (!parsed.success) return { refusal: unreadable(parsed.error, body) };
  const { message } = parsed.data;
  const refusal =
    faultOfTarget(message) ??
    faultOfData(message.data ?? {}) ??
    faultOfTtl(message.android?.ttl) ??
    faultOfSize(message);
  return refusal === undefined ? { message } : { refusal };
}

/** The token that a body is addressed to, if it can be told at all; empty otherwise. */
export function fcmTokenOf(body: unknown): string {
  const addressed = z.object({ message: z.object({ token: z.string() }) }).safeParse(body);
  return addressed.success ? addressed.data.message.token : '';
}

/**
 * What makes two messages to one phone the same: `data.notification_id` where the sender sets
 * one, otherwise the whole message.
 */
export function fcmIdentityOf(body: unknown): string {
  const withId = z
    .object({ message: z.object({ data: z.object({ notification_id: z.string() }) }) })
    .safeParse(body);
  return withId.success ? withId.data.message.data.notification_id : JSON.stringify(body);
}

/** The first fault that the schema found, in the words of Google's JSON reader. */
function unreadable({ issues }: z.ZodError, body: unknown): WireAnswer {
  const [issue] = issues;
  if (typeof body !== 'object' || body === null || Array.isArray(body) || issue === undefined) {
    return fcmUnreadableMessage({
      field: '',
      description: 'Invalid JSON payload received. Expected an object.',
    });
  }
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const place = field === '' ? '' : ` at '${field}'`;
    return fcmUnreadableMessage({
      field,
      description: `Invalid JSON payload received. Unknown name "${issue.keys[0]}"${place}: Cannot find field.`,
    });
  }
  return fcmUnreadableMessage({ field, description: `Invalid value at '${field}'` });
}

/** The sandbox has phones and nothing else: topics and conditions reach nobody. */
function faultOfTarget(message: FcmMessage): WireAnswer | undefined {
  if (message.token === undefined || message.token === '') {
    return fcmInvalidMessage({
      field: 'message.token',
      description: 'Recipient of the message is not set.',
    });
  }
  const isToken = message.token.length <= longestTokenCharacters && token.test(message.token);
  return isToken ? undefined : fcmInvalidToken();
}

function faultOfData(data: Readonly<Record<string, string>>): WireAnswer | undefined {
  const reserved = Object.keys(data).find((key) => reservedKey.test(key));
  if (reserved === undefined) return undefined;
  return fcmInvalidMessage({
    field: 'message.data',
    description: `Invalid data payload key: ${reserved}`,
  });
}

function faultOfTtl(ttl = '0s'): WireAnswer | undefined {
  const seconds = Number(duration.exec(ttl)?.[1]);
  if (seconds <= longestTtlSeconds) return undefined;
  return fcmInvalidMessage({
    field: 'message.android.ttl',
    description: `Invalid TTL: it must be between 0 and ${longestTtlSeconds} seconds`,
  });
}

/** What counts is what the phone receives: keys and values of `data`, and the notification. */
function faultOfSize({ data = {}, notification }: FcmMessage): WireAnswer | undefined {
  const texts = [...Object.entries(data).flat(), notification?.title, notification?.body];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
  if (bytes <= largestPayloadBytes) return undefined;
  return fcmInvalidMessage({ field: 'message', description: 'Android message is too big' });
}
