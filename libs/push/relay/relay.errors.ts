import { badRequest, defineErrors } from '#platform/contracts';

/** Errors of a server that sends through the push service of another one. */
export const relayErrors = defineErrors({
  serviceNotReached: {
    code: 'BAD_REQUEST',
    status: 502,
    msg: '{name} while trying to connect to push notification bouncer',
    when: 'A server that relays cannot reach the push service. A registration is stored and repeated until the service has it.',
  },
  serviceFailed: {
    code: 'BAD_REQUEST',
    status: 502,
    msg: 'Received {status} from push notification bouncer',
    when: 'The push service of a server that relays answers with a status of 500 or above.',
  },
  serviceAnswersUnexpectedly: {
    code: 'BAD_REQUEST',
    status: 502,
    msg: 'Push notification bouncer returned unexpected status code {status}',
    when: 'The push service of a server that relays answers that it has no such path, with another status than 200 and no error, or not in JSON.',
  },
  serviceRefusesServer: {
    code: 'BAD_REQUEST',
    status: 502,
    msg: 'Push notifications bouncer error: {msg}',
    when: 'The push service does not send for this server or organisation, by the given reason.',
  },
  serviceRefuses: badRequest(
    '{msg}',
    'The push service of a server that relays refuses a request, with its own text.',
  ),
  failedToConnect: {
    code: 'FAILED_TO_CONNECT_BOUNCER',
    status: 502,
    msg: 'Network error while connecting to Zulip push notification service.',
    when: 'An encrypted test notification of a server that relays, while the push service cannot be reached.',
  },
  internalErrorOfService: {
    code: 'INTERNAL_SERVER_ERROR_ON_BOUNCER',
    status: 502,
    msg: 'Internal server error on Zulip push notification service, retry later.',
    when: 'The same, while the push service answers with a status of 500 or above.',
  },
  adminActionRequired: {
    code: 'ADMIN_ACTION_REQUIRED',
    status: 403,
    msg: 'Push notification configuration issue on server, contact the server administrator or retry later.',
    when: 'The same, while the push service refuses this server or the organisation, or answers unexpectedly.',
  },
  secretNotPrepared: {
    code: 'REMOTE_SERVER_VERIFICATION_SECRET_NOT_PREPARED',
    status: 400,
    msg: 'Verification secret not prepared',
    when: 'A push service asks for the secret of a transfer, and none is prepared for this token.',
  },
});

/** The errors of `legacyErrorOf`, for requests that wait for the service. */
export const legacyRelayErrors = [
  relayErrors.serviceNotReached,
  relayErrors.serviceFailed,
  relayErrors.serviceAnswersUnexpectedly,
  relayErrors.serviceRefusesServer,
  relayErrors.serviceRefuses,
];
