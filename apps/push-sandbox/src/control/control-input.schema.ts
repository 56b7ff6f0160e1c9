import { z } from 'zod';
import { apnsStatusOf } from '../apns/apns-answer.rules.js';
import { fcmErrorCodes } from '../fcm/fcm-answer.rules.js';
import {
  appPlatforms,
  LONGEST_DELAY_MS,
  LONGEST_WAIT_SECONDS,
  sandboxPlatforms,
} from '../provider/platform.js';
import { apnsEnvironments } from '#push/jobs';
import { fromStrictBase64 } from '#push/encryption';

const LONGEST_OFF_SECONDS = 31_536_000;
/** A service may answer with a page. */
const LONGEST_REASON = 20_000;

export const platformSchema = z.enum(sandboxPlatforms, { message: 'expected apns, fcm or web' });

export const tokenSchema = z.string().min(1).max(4096);

/** An installation id of Firebase. */
export const fidSchema = z.string().regex(/^[\w-]{22}$/, 'expected 22 characters of base64url');

export const installationSchema = z.strictObject({ registered: z.enum(['fid', 'token']) });

export const newPhoneSchema = z.strictObject({
  platform: z.enum(appPlatforms, { message: 'expected apns or fcm' }),
  public_key: z
    .string()
    .refine((text) => fromStrictBase64(text)?.length === 32, 'expected 32 bytes in base64'),
  token: tokenSchema.optional(),
});

const scripted = {
  status: z.int().min(200).max(599).optional(),
  timestamp: z.int().min(0).optional(),
  retry_after: z.int().min(0).max(LONGEST_WAIT_SECONDS).optional(),
  times: z.int().min(1).optional(),
  html: z.boolean().optional(),
  shown: z.boolean().optional(),
  delay_ms: z.int().min(0).max(LONGEST_DELAY_MS).optional(),
  phone_off_seconds: z.int().min(0).max(LONGEST_OFF_SECONDS).optional(),
  no_answer: z.enum(['hang', 'reset']).optional(),
};

/** Whether a script only decides about the phone or the time of the answer; then the push is accepted. */
const isAboutPhone = (script: Readonly<Record<string, unknown>>): boolean =>
  ['shown', 'delay_ms', 'phone_off_seconds', 'no_answer'].some(
    (name) => script[name] !== undefined,
  );

const hasStatusOfPage = ({ status, html }: { status?: unknown; html?: unknown }) =>
  html !== true || status !== undefined;
const noStatusOfPage = { path: ['status'], message: 'a page needs it' };

const scriptedForApns = z
  .strictObject({
    ...scripted,
    platform: z.literal('apns'),
    environment: z.enum(apnsEnvironments).optional(),
    reason: z.string().min(1).optional(),
  })
  .refine(hasStatusOfPage, noStatusOfPage)
  .refine(
    (script) =>
      script.status !== undefined ||
      apnsStatusOf(script.reason ?? '') !== undefined ||
      (script.reason === undefined && (script.environment !== undefined || isAboutPhone(script))),
    {
      path: ['status'],
      message: 'it is needed unless the reason is one that Apple documents',
    },
  );

const scriptedForFcm = z
  .strictObject({
    ...scripted,
    platform: z.literal('fcm'),
    reason: z.enum(fcmErrorCodes).optional(),
    with_details: z.boolean().optional(),
    bad_request: z.array(z.string().max(200)).max(20).optional(),
  })
  .refine(hasStatusOfPage, noStatusOfPage)
  .refine(
    (script) => script.status !== undefined || script.reason !== undefined || isAboutPhone(script),
    { path: ['reason'], message: 'it is needed unless there is a status' },
  );

const scriptedForWeb = z
  .strictObject({
    ...scripted,
    platform: z.literal('web'),
    /** The text of the answer. */
    reason: z.string().max(LONGEST_REASON).optional(),
  })
  .refine(hasStatusOfPage, noStatusOfPage)
  .refine((script) => script.status !== undefined || isAboutPhone(script), {
    path: ['status'],
    message: 'it is needed',
  });

export const scriptedAnswerSchema = z.discriminatedUnion('platform', [
  scriptedForApns,
  scriptedForFcm,
  scriptedForWeb,
]);

/** A point of P-256 in base64url. */
const point = z
  .string()
  .regex(/^[\w-]+={0,2}$/)
  .refine((text) => Buffer.from(text, 'base64url').length === 65, 'expected 65 bytes in base64url');

export const newBrowserSchema = z.strictObject({ vapid_public_key: point.optional() });

export const browserChangeSchema = z.strictObject({ online: z.boolean() });

/** A number in a query string. */
const numberText = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'expected a number')
  .transform(Number);

export const deliveryFilterSchema = z.strictObject({
  platform: platformSchema.optional(),
  token: tokenSchema.optional(),
  since: numberText.optional(),
  limit: numberText.pipe(z.int().min(1)).optional(),
});
