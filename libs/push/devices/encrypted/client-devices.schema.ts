import { z } from 'zod';
import { ApiError, parameterErrors } from '#platform/contracts';
import { phonePlatforms } from '#push/jobs';
import { endpoint, identifier, json, limitedText, text } from '#platform/http';
import { clientDeviceErrors } from './client-devices.errors.js';

/** In characters: more than twice the size of a registration with the longest token. */
const LONGEST_REGISTRATION = 16_384;
/** In characters, of the fields with a fixed length. */
const LONGEST_FIELD = 64;
const MAX_KEY_ID = 2 ** 32 - 1;

const nothing = z.object({});
const common = { tag: 'push devices', access: 'user' } as const;

export const registerClientDevice = endpoint({
  ...common,
  method: 'POST',
  path: '/register_client_device',
  summary: 'Register a client device',
  description:
    'Adds a device for an app installation. It receives notifications after `POST /mobile_push/register`. An account has at most 256 devices; then the oldest one without a push token or of an older API key is removed.',
  parameters: {},
  returns: z.object({ device_id: z.int().meta({ description: 'The id of the new device.' }) }),
  errors: [clientDeviceErrors.tooManyClientDevices],
});

export const removeClientDevice = endpoint({
  ...common,
  method: 'POST',
  path: '/remove_client_device',
  summary: 'Remove a client device',
  description: 'Removes a device of the caller, with its push key and its token.',
  parameters: { device_id: identifier('The id of a client device of the caller.') },
  returns: nothing,
  errors: [clientDeviceErrors.invalidDeviceId],
});

const pushKeyId = z
  .int()
  .refine((id) => id >= 0 && id <= MAX_KEY_ID, 'Not a valid unsigned 32-bit integer')
  .meta({ minimum: 0, maximum: MAX_KEY_ID });

const keyGroup = 'Only with the other field of the push key.';
const tokenGroup = 'Only with the other fields of the token.';

const field = (length: number) => limitedText(length).optional();

export const registerForPush = endpoint({
  ...common,
  method: 'POST',
  path: '/mobile_push/register',
  summary: 'Register for encrypted notifications',
  description:
    'Sets the push key of a client device, registers its push token, or both. The key is valid at once. The registration of a token ends with an event `device`. Fields of an incomplete group are ignored beside a complete one.',
  parameters: {
    device_id: identifier('The id of a client device of the caller.'),
    push_key: text(field(LONGEST_FIELD), {
      description: `The byte 0x31 and the 32 bytes of a key for \`crypto_secretbox\`, in base64. ${keyGroup}`,
      refusal: () => new ApiError(clientDeviceErrors.invalidPushKey),
    }),
    push_key_id: json(pushKeyId.optional(), {
      description: `The id of the key in notifications, chosen by the app. ${keyGroup}`,
    }),
    token_kind: text(z.enum(phonePlatforms).optional(), {
      description: `The provider of the token. ${tokenGroup}`,
      refusal: () =>
        new ApiError(parameterErrors.invalidParameter, {
          text: 'Invalid token_kind: Value error, Not in the list of possible values',
        }),
    }),
    token_id: text(field(LONGEST_FIELD), {
      description: `The first eight bytes of the SHA-256 of the token, in base64. ${tokenGroup}`,
      refusal: () => new ApiError(clientDeviceErrors.invalidTokenId),
    }),
    bouncer_public_key: text(field(LONGEST_FIELD), {
      description: `The public key of the push service that the app has sealed the registration to, in base64. ${tokenGroup}`,
    }),
    encrypted_push_registration: text(field(LONGEST_REGISTRATION), {
      description: `The registration, sealed with \`crypto_box_seal\`, in base64. ${tokenGroup}`,
    }),
  },
  returns: nothing,
  errors: [
    clientDeviceErrors.pushServiceNotConfigured,
    clientDeviceErrors.invalidDeviceId,
    clientDeviceErrors.incompleteRegistration,
    clientDeviceErrors.noKeyToRotate,
    clientDeviceErrors.noRegistrationToRotate,
    clientDeviceErrors.invalidPushKey,
    clientDeviceErrors.registrationInProgress,
    clientDeviceErrors.tokenIdNotBase64,
    clientDeviceErrors.invalidTokenId,
  ],
});
