import { MEBIBYTE } from '#platform/contracts';
import { endpoint, jsonBody, limitedText } from '#platform/http';
import { pushErrors } from '#push/devices';
import { fromStrictBase64, TOKEN_ID_BYTES } from '#push/encryption';
import { z } from 'zod';
import { pushStatus } from '../realms/push-status.rules.js';
import { tenantErrors } from '../tenants.errors.js';
import { serverSignInErrors } from '../servers/servers.schema.js';
import { isTooDeep, MAX_DEPTH } from './notify.rules.js';

const BODY_LIMIT_BYTES = 4 * MEBIBYTE;
const MAX_PUSH_REQUESTS = 1000;
/** Each has some twenty members. */
const MEMBER_LIMIT = 40_000;
const MAX_TOKENS = 10_000;
const TOKEN_ID_LENGTH = 12;
const UUID_LENGTH = 36;

const common = { tag: 'push service', method: 'POST', access: 'server' } as const;
const body = { limitBytes: BODY_LIMIT_BYTES, tooLarge: tenantErrors.notifyTooLarge };

/** Refuses a request with too many levels, like one with too many members. */
const shallow = <Request>(schema: z.ZodType<Request>): z.ZodType<Request> =>
  schema.superRefine((input, context) => {
    if (!isTooDeep(input)) return;
    context.addIssue({ code: 'too_big', origin: 'object', maximum: MAX_DEPTH, input });
  });

const members = z.record(z.string(), z.unknown());

/** Checked by the service, which has a text of its own for it. */
const uuid = limitedText(UUID_LENGTH * 2);

const account = {
  user_id: z.int().nullable().optional(),
  user_uuid: uuid.nullable().optional(),
  realm_uuid: uuid.nullable().optional(),
};

/** Only compared: one of another form is that of no device. */
const tokens = z.array(limitedText(BODY_LIMIT_BYTES)).max(MAX_TOKENS).default([]);

export const notifyAccount = endpoint({
  ...common,
  body,
  path: '/remotes/push/notify',
  summary: 'Notify an account of a server',
  description:
    'Sends a notification to all tokens of an account, and waits up to ten seconds for the providers. What they have not accepted by then is sent later.',
  parameters: {
    request: jsonBody(
      shallow(
        z.object({
          ...account,
          gcm_payload: members.default({}),
          apns_payload: members.default({}),
          gcm_options: members.default({}),
          android_devices: tokens,
          apple_devices: tokens,
        }),
      ),
      { description: 'The notification.', memberLimit: MEMBER_LIMIT },
    ),
  },
  returns: z.object({
    total_android_devices: z.int(),
    total_apple_devices: z.int(),
    deleted_devices: z.object({
      android_devices: z.array(z.string()),
      apple_devices: z.array(z.string()),
    }),
    realm: pushStatus.nullable(),
  }),
  errors: [
    ...serverSignInErrors,
    tenantErrors.missingUser,
    tenantErrors.invalidUuid,
    tenantErrors.realmOfOtherServer,
    tenantErrors.planUnknown,
    tenantErrors.pushDisallowed,
    tenantErrors.invalidFcmPriority,
    tenantErrors.invalidFcmOptions,
    tenantErrors.notifyTooLarge,
  ],
});

export const testTenantDevice = endpoint({
  ...common,
  body,
  path: '/remotes/push/test_notification',
  summary: 'Send a test notification to a token',
  description:
    'Sends a test notification to a token of an account. Succeeds with every answer of the provider.',
  parameters: {
    request: jsonBody(
      shallow(
        z.strictObject({
          ...account,
          // One that is too long is that of no device.
          token: limitedText(BODY_LIMIT_BYTES),
          token_kind: z.int(),
          base_payload: members,
        }),
      ),
      { description: 'The token, and what the notification is about.' },
    ),
  },
  returns: z.object({}),
  errors: [
    ...serverSignInErrors,
    tenantErrors.missingUser,
    tenantErrors.invalidUuid,
    tenantErrors.realmOfOtherServer,
    tenantErrors.notifyTooLarge,
    pushErrors.deviceNotRecognizedByProvider,
  ],
});

const payload = z.looseObject({
  push_key_id: z.int().min(0),
  encrypted_data: limitedText(BODY_LIMIT_BYTES),
});

/** As the service answers it: the base64 of the first bytes of a digest. */
const tokenId = limitedText(TOKEN_ID_LENGTH).refine(
  (text) => fromStrictBase64(text)?.length === TOKEN_ID_BYTES,
  'Not the base64 of 8 bytes',
);

const pushRequest = z
  .object({
    token_id: tokenId,
    http_headers: z
      .object({
        apns_priority: z.union([z.literal(10), z.literal(5), z.literal(1)]),
        apns_push_type: z.enum(['alert', 'background']),
      })
      .optional(),
    fcm_priority: z.enum(['high', 'normal']).optional(),
    payload,
  })
  .refine(
    (given) => (given.http_headers === undefined) !== (given.fcm_priority === undefined),
    'either http_headers or fcm_priority is needed',
  );

export type PushRequest = z.output<typeof pushRequest>;

export const notifyEncrypted = endpoint({
  ...common,
  body,
  path: '/remotes/push/e2ee/notify',
  summary: 'Send encrypted notifications',
  description:
    'Sends a notification to each of some tokens of an organisation, and waits up to ten seconds for the providers. What they have not accepted by then is sent later.',
  parameters: {
    request: jsonBody(
      shallow(
        z.object({
          realm_uuid: uuid,
          push_requests: z.array(pushRequest).max(MAX_PUSH_REQUESTS),
        }),
      ),
      { description: 'The notifications.', memberLimit: MEMBER_LIMIT },
    ),
  },
  returns: z.object({
    apple_successfully_sent_count: z.int(),
    android_successfully_sent_count: z.int(),
    delete_token_ids: z.array(z.string()).meta({ description: 'Ids of unknown and dead tokens.' }),
    realm_push_status: pushStatus,
  }),
  errors: [
    ...serverSignInErrors,
    tenantErrors.invalidUuid,
    tenantErrors.realmNotRegistered,
    tenantErrors.realmOfOtherServer,
    tenantErrors.planUnknown,
    tenantErrors.pushDisallowed,
    tenantErrors.notifyTooLarge,
  ],
});
