import { badRequest, defineErrors, unauthorized } from '#platform/contracts';

const mismatch = 'The organisation belongs to another server.';

/** Remote servers at the push service. The texts are those of the protocol. */
export const tenantErrors = defineErrors({
  missingServerAuthorization: unauthorized(
    'Missing authorization header for basic auth',
    'A request of a server has no `Authorization` header.',
  ),
  notAServerKey: badRequest(
    'Must validate with valid Zulip server API key',
    'The sign-in is that of an account.',
  ),
  serverNotRegistered: unauthorized(
    'Zulip server auth failure: {id} is not registered -- did you run `manage.py register_server`?',
    'No server has this id.',
  ),
  wrongServerKey: unauthorized(
    'Zulip server auth failure: key does not match role {id}',
    'The server has another key.',
  ),
  serverDeactivated: unauthorized(
    'The mobile push notification service registration for your server has been deactivated',
    'The server has ended its registration.',
  ),
  wrongServiceHost: unauthorized(
    'Invalid subdomain for push notifications bouncer',
    '`PUSH_SERVICE_HOSTS` does not name the host of the request.',
  ),
  invalidHostnameParts: badRequest(
    '{hostname} contains invalid components (e.g., path, query, fragment).',
    'A registration names more than a host.',
  ),
  invalidHostname: badRequest(
    '{hostname} is not a valid hostname',
    'A registration names no host.',
  ),
  invalidContactEmail: badRequest(
    'Invalid server administrator email address: {reason}',
    'The contact address of a registration cannot receive mail; `email_reason` has the reason.',
  ),
  invalidUuid: badRequest('Invalid UUID', 'An id of a server, realm or account is not a UUID.'),
  registrationClosed: {
    code: 'BAD_REQUEST',
    status: 403,
    msg: 'Registration is closed.',
    when: 'A new server registers, and `PUSH_SERVICE_REGISTRATION` is `closed`.',
  },
  registeredWithOtherKey: {
    code: 'INVALID_ZULIP_SERVER',
    status: 400,
    msg: 'Zulip server auth failure: key does not match role {id}',
    when: 'A registration names a known server with another key; `role` has the id.',
  },
  registrationDeactivated: {
    code: 'REALM_DEACTIVATED',
    status: 401,
    msg: 'The mobile push notification service registration for your server has been deactivated',
    when: 'A server registers again that has ended its registration.',
  },
  hostnameInUse: {
    code: 'HOSTNAME_ALREADY_IN_USE_BOUNCER_ERROR',
    status: 400,
    msg: 'A server with hostname {hostname} already exists',
    when: 'A registration names the host of another server; `hostname` has it.',
  },
  hostnameNotRegistered: badRequest(
    '{hostname} not yet registered',
    'A transfer names a host without a server.',
  ),
  noRegistrationOfHostname: badRequest(
    'Registration not found for this hostname',
    'The end of a transfer names a host without a server.',
  ),
  hostVerificationFailed: badRequest(
    '{text}',
    'The host of a transfer did not answer, or with another secret than the one of this transfer.',
  ),
  verificationsUsedUp: {
    code: 'RATE_LIMIT_HIT',
    status: 429,
    msg: 'The global limits on recent usage of this endpoint have been reached. Please try again later or reach out to {support} for assistance.',
    when: 'All servers together have ended 30 transfers in a day.',
  },
  duplicateRealm: badRequest(
    'Duplicate registration detected.',
    'An upload has an organisation of another server, or one organisation twice.',
  ),
  tooManyRemoteRealms: badRequest(
    'Too many registered organizations',
    'The server would have more than 10,000 organisations, with those that count as deleted.',
  ),
  rowsOutOfOrder: badRequest(
    'Data is out of order.',
    'The ids of uploaded rows do not rise, or are not above the last uploaded one.',
  ),
  malformedAuditLog: badRequest(
    'Malformed audit log data',
    '`extra_data` of an uploaded row is a text that is not JSON.',
  ),
  uploadTooLarge: {
    code: 'BAD_REQUEST',
    status: 413,
    msg: 'The request body is too large (limit: {limit} bytes).',
    when: 'An upload of a server is larger than 16 MiB.',
  },
  invalidTokenType: badRequest('Invalid token type', '`token_kind` is neither 1 nor 2.'),
  missingAppId: badRequest('Missing ios_app_id', 'A token of Apple without the app.'),
  tooManyRemoteDevices: badRequest(
    'Too many registered devices',
    'The server has as many phones as it may register. Registered ones can be registered again.',
  ),
  missingUser: badRequest(
    'Missing user_id or user_uuid',
    'A request about an account names neither id.',
  ),
  realmOfOtherServer: {
    code: 'REMOTE_REALM_SERVER_MISMATCH_ERROR',
    status: 403,
    msg: 'Your organization is registered to a different Zulip server. Please contact Zulip support for assistance in resolving this issue.',
    when: mismatch,
  },
  realmNotRegistered: {
    code: 'MISSING_REMOTE_REALM',
    status: 403,
    msg: 'Organization not registered',
    when: 'No upload of the server has this organisation, or its last one did not.',
  },
  invalidServicePublicKey: {
    code: 'INVALID_BOUNCER_PUBLIC_KEY',
    status: 400,
    msg: 'Invalid bouncer_public_key',
    when: 'A registration is sealed to a key that this push service does not have.',
  },
  invalidSealedRegistration: {
    code: 'INVALID_ENCRYPTED_PUSH_REGISTRATION',
    status: 400,
    msg: 'Invalid encrypted_push_registration',
    when: 'A sealed registration cannot be opened, breaks a rule, or is for another token id.',
  },
  registrationExpired: {
    code: 'REQUEST_EXPIRED',
    status: 400,
    msg: 'Request expired',
    when: 'A registration was sealed more than a day ago, or by a clock that is more than a day ahead.',
  },
  notifyTooLarge: badRequest(
    'The request body is too large (limit: {limit} bytes).',
    'A request with notifications is larger than 4 MiB.',
  ),
  invalidFcmPriority: badRequest(
    "Invalid GCM option to bouncer: priority '{priority}'",
    'The priority for Android is neither `normal` nor `high`.',
  ),
  invalidFcmOptions: badRequest(
    'Invalid GCM options to bouncer: {options}',
    'There are further options for Android than the priority.',
  ),
  planUnknown: {
    code: 'INVALID_ZULIP_SERVER',
    status: 400,
    msg: "Your plan doesn't allow sending push notifications.",
    when: 'The operator has stopped a server that has never uploaded its level.',
  },
  pushDisallowed: {
    code: 'PUSH_NOTIFICATIONS_DISALLOWED',
    status: 400,
    msg: "Your plan doesn't allow sending push notifications. Reason provided by the server: {reason}",
    when: 'The operator has stopped the server or the organisation.',
  },
});
