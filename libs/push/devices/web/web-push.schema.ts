import { z } from 'zod';
import { ApiError } from '#platform/contracts';
import { endpoint, identifier, limitedText, text } from '#platform/http';
import { webPushKinds } from '#push/providers';
import { webPushErrors } from './web-push.errors.js';

/** In characters; an endpoint has at most as many bytes. */
const LONGEST_ENDPOINT = 1000;
/** In characters: 65 bytes in base64url have 88 with padding. */
const LONGEST_KEY = 88;
/** In characters, of 16 bytes. */
const LONGEST_AUTH = 24;
const LONGEST_CONFIRMATION = 64;

const nothing = z.object({});
const common = { tag: 'push devices', access: 'user' } as const;
const path = '/users/me/web_push_subscription';

const states = ['pending', 'active'] as const;

const endpointText = limitedText(LONGEST_ENDPOINT);
const endpointRefusal = () => new ApiError(webPushErrors.invalidWebPushEndpoint);
const keyRefusal = () => new ApiError(webPushErrors.invalidWebPushKeys);
const subscriptionId = identifier('The id of a subscription of the caller.');

export const registerWebPush = endpoint({
  ...common,
  method: 'POST',
  path,
  summary: 'Register a Web Push subscription',
  description:
    'Adds a subscription of a browser or of a phone with UnifiedPush. A token is sent to it at once, and nothing else until its client has returned the token with `…/confirm`, within ten minutes. A repetition with equal values keeps the state. An account has at most ten subscriptions; then the oldest pending one is removed. At most 20 registrations an hour.',
  parameters: {
    endpoint: text(endpointText, {
      description: 'The `https` address of the subscription, at most 1000 bytes.',
      refusal: endpointRefusal,
    }),
    p256dh: text(limitedText(LONGEST_KEY), {
      description: 'The public key of the client, 65 bytes in base64url, with or without padding.',
      refusal: keyRefusal,
    }),
    auth: text(limitedText(LONGEST_AUTH), {
      description:
        'The authentication secret of the client, 16 bytes in base64url, with or without padding.',
      refusal: keyRefusal,
    }),
    kind: text(z.enum(webPushKinds).default('browser'), {
      description:
        '`unifiedpush` for a phone that receives by UnifiedPush. Only it gets pushes that remove messages from the screen.',
    }),
    vapid_public_key: text(limitedText(LONGEST_KEY), {
      description:
        'The `server_web_push_public_key` that the subscription was made with, in base64url.',
      refusal: () => new ApiError(webPushErrors.unknownVapidKey),
    }),
  },
  returns: z.object({
    subscription_id: z.int().meta({ description: 'The id of the subscription.' }),
    state: z.enum(states).meta({ description: '`pending` until it is confirmed.' }),
  }),
  errors: [
    webPushErrors.webPushDisabled,
    webPushErrors.peopleOnly,
    webPushErrors.invalidWebPushEndpoint,
    webPushErrors.webPushEndpointNotAllowed,
    webPushErrors.invalidWebPushKeys,
    webPushErrors.unknownVapidKey,
    webPushErrors.tooManyWebPushSubscriptions,
  ],
});

export const confirmWebPush = endpoint({
  ...common,
  method: 'POST',
  path: `${path}/confirm`,
  summary: 'Confirm a Web Push subscription',
  description:
    'Returns the token of the push `confirm`. From then on the subscription gets notifications.',
  parameters: {
    subscription_id: subscriptionId,
    confirmation_token: text(limitedText(LONGEST_CONFIRMATION), {
      description: 'The `confirmation_token` of the push.',
      refusal: () => new ApiError(webPushErrors.invalidConfirmationToken),
    }),
  },
  returns: nothing,
  errors: [webPushErrors.invalidConfirmationToken],
});

const seconds = z.int().meta({ description: 'UNIX seconds.' });

export const listWebPush = endpoint({
  ...common,
  method: 'GET',
  path: '/users/me/web_push_subscriptions',
  summary: 'List the Web Push subscriptions',
  description: 'Returns the subscriptions of the caller by ascending id, without their endpoints.',
  parameters: {},
  returns: z.object({
    web_push_subscriptions: z.array(
      z.object({
        subscription_id: z.int(),
        host: z.string().meta({ description: 'The host of the push service.' }),
        kind: z.enum(webPushKinds),
        state: z.enum(states),
        registered_at: seconds,
        confirmed_at: seconds.nullable(),
      }),
    ),
  }),
  errors: [],
});

export const removeWebPush = endpoint({
  ...common,
  method: 'DELETE',
  path,
  summary: 'Remove a Web Push subscription',
  description:
    'Removes a subscription of the caller, by its id or its endpoint. It gets nothing more. An unknown one is not an error.',
  parameters: {
    subscription_id: { ...subscriptionId, absent: { value: 0 } },
    endpoint: text(endpointText.optional(), {
      description: 'The endpoint of the subscription, in place of its id.',
      refusal: endpointRefusal,
    }),
  },
  returns: nothing,
  errors: [webPushErrors.invalidWebPushEndpoint],
});
