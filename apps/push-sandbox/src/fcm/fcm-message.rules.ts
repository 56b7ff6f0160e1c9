import { z } from 'zod';
import type { HttpAnswer } from '../provider/http-messages.js';
import { fcmInvalidMessage, fcmInvalidToken, fcmUnreadableMessage } from './fcm-answer.rules.js';

const LARGEST_PAYLOAD_BYTES = 4096;
const LONGEST_TTL_SECONDS = 2_419_200;
const LONGEST_TOKEN_CHARACTERS = 4096;
const TOKEN = /^[\x21-\x7e]+$/;
const FID = /^[\w-]{22}$/;
/** The members of Google's union `target`. */
const targets = ['token', 'fid', 'topic', 'condition'] as const;
const DURATION = /^(\d+)(\.\d{1,9})?s$/;
/** The reserved keys of `data`. */
const RESERVED_KEY = /^(from|message_type|google\..*|gcm\..*|google|gcm)$/;

/**
 * The part of FCM v1's JSON schema that the sandbox validates. Other fields of `android`, `notification`, `webpush`
 * and so on are accepted.
 */
const sendRequest = z.strictObject({
  message: z.strictObject({
    name: z.string().optional(),
    token: z.string().optional(),
    fid: z.string().optional(),
    topic: z.string().optional(),
    condition: z.string().optional(),
    data: z.record(z.string(), z.string()).optional(),
    notification: z.looseObject({ title: z.string(), body: z.string() }).partial().optional(),
    android: z
      .looseObject({
        ttl: z.string().regex(DURATION),
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

type FcmMessage = z.infer<typeof sendRequest>['message'];

/** A valid message, or the answer that refuses it. */
type FcmReading = { readonly message: FcmMessage } | { readonly refusal: HttpAnswer };

/** Validates the body of `messages:send` like Google. */
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

const addressedMessage = z.object({
  message: z.object({ token: z.string(), fid: z.string() }).partial(),
});

/** The token or the installation id of a body; empty if it has none. */
export function fcmTokenOf(body: unknown): string {
  const { data } = addressedMessage.safeParse(body);
  return data?.message.token ?? data?.message.fid ?? '';
}

/** For how long Google keeps a message for a phone that is off, in seconds: four weeks by default. */
export function fcmTimeToLiveOf(body: unknown): number {
  const limited = z
    .object({ message: z.object({ android: z.object({ ttl: z.string().regex(DURATION) }) }) })
    .safeParse(body);
  return limited.success ? parseFloat(limited.data.message.android.ttl) : LONGEST_TTL_SECONDS;
}

/**
 * The identity of a message, for duplicates on one phone: `data.notification_id` if it is set, otherwise the whole
 * message.
 */
export function fcmIdentityOf(body: unknown): string {
  const withId = z
    .object({ message: z.object({ data: z.object({ notification_id: z.string() }) }) })
    .safeParse(body);
  return withId.success ? withId.data.message.data.notification_id : JSON.stringify(body);
}

/** The first violation of the schema, in the format of Google's JSON parser. */
function unreadable({ issues }: z.ZodError, body: unknown): HttpAnswer {
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

/** The sandbox supports tokens and installation ids, no topics or conditions. Google takes the ids as tokens too. */
function faultOfTarget(message: FcmMessage): HttpAnswer | undefined {
  const [first, second] = targets.filter((name) => message[name] !== undefined);
  if (second !== undefined) {
    return fcmUnreadableMessage({
      field: 'message',
      description: `Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set '${second}'`,
    });
  }
  if (first === 'fid') return FID.test(message.fid ?? '') ? undefined : invalidFid;
  if (message.token === undefined || message.token === '') {
    return fcmInvalidMessage({
      field: 'message.token',
      description: 'Recipient of the message is not set.',
    });
  }
  const isToken = message.token.length <= LONGEST_TOKEN_CHARACTERS && TOKEN.test(message.token);
  return isToken ? undefined : fcmInvalidToken();
}

const invalidFid = fcmInvalidMessage({
  field: 'message.fid',
  description: 'The installation id is not a valid Firebase installation id',
});

function faultOfData(data: Readonly<Record<string, string>>): HttpAnswer | undefined {
  const reserved = Object.keys(data).find((key) => RESERVED_KEY.test(key));
  if (reserved === undefined) return undefined;
  return fcmInvalidMessage({
    field: 'message.data',
    description: `Invalid data payload key: ${reserved}`,
  });
}

function faultOfTtl(ttl = '0s'): HttpAnswer | undefined {
  const seconds = Number(DURATION.exec(ttl)?.[1]);
  if (seconds <= LONGEST_TTL_SECONDS) return undefined;
  return fcmInvalidMessage({
    field: 'message.android.ttl',
    description: `Invalid TTL: it must be between 0 and ${LONGEST_TTL_SECONDS} seconds`,
  });
}

/** The size counts the keys and values of `data`, and the notification. */
function faultOfSize({ data = {}, notification }: FcmMessage): HttpAnswer | undefined {
  const texts = [...Object.entries(data).flat(), notification?.title, notification?.body];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
  if (bytes <= LARGEST_PAYLOAD_BYTES) return undefined;
  return fcmInvalidMessage({ field: 'message', description: 'Android message is too big' });
}
