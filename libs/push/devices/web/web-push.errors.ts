import { badRequest, defineErrors } from '#platform/contracts';

/** The subscriptions of Web Push. */
export const webPushErrors = defineErrors({
  webPushDisabled: {
    code: 'WEB_PUSH_DISABLED',
    status: 400,
    msg: 'Server is not configured to use Web Push',
    when: 'There is no `PUSH_KEY_SECRET`, or no key of `carillon web-push-keys`.',
  },
  peopleOnly: badRequest(
    'Bots receive no push notifications',
    'A bot registers a subscription of Web Push.',
  ),
  invalidWebPushEndpoint: {
    code: 'INVALID_WEB_PUSH_ENDPOINT',
    status: 400,
    msg: 'Invalid `endpoint`',
    when: 'An endpoint is not an `https` address with a domain name, or is longer than 1000 bytes.',
  },
  webPushEndpointNotAllowed: {
    code: 'WEB_PUSH_ENDPOINT_NOT_ALLOWED',
    status: 400,
    msg: 'The push service of `endpoint` is not allowed here',
    when: 'The host of an endpoint is not in `WEB_PUSH_HOSTS`, or its port not in `WEB_PUSH_PORTS`.',
  },
  invalidWebPushKeys: {
    code: 'INVALID_WEB_PUSH_KEYS',
    status: 400,
    msg: 'Invalid `p256dh` or `auth`',
    when: '`p256dh` is not a point of the curve P-256 with 65 bytes, or `auth` not 16 bytes.',
  },
  unknownVapidKey: {
    code: 'UNKNOWN_VAPID_KEY',
    status: 400,
    msg: 'Unknown `vapid_public_key`',
    when: 'A subscription was made with a public key that is not one of this server.',
  },
  tooManyWebPushSubscriptions: {
    code: 'TOO_MANY_WEB_PUSH_SUBSCRIPTIONS',
    status: 400,
    msg: 'Too many Web Push subscriptions',
    when: 'The account has ten subscriptions, and each of them is confirmed.',
  },
  invalidConfirmationToken: {
    code: 'INVALID_CONFIRMATION_TOKEN',
    status: 400,
    msg: 'Invalid confirmation token',
    when: 'A confirmation has another token than the one that was sent to the subscription, or names no subscription of the caller; also after ten minutes.',
  },
  noWebPushSubscription: {
    code: 'NO_ACTIVE_PUSH_DEVICE',
    status: 400,
    msg: 'No active registered push device',
    when: 'A test notification for a subscription of Web Push that is not an active one of the caller.',
  },
});
