import { successEnvelope } from '#platform/contracts';
import type { PresenceAnswer, PresenceRequest } from '#presence/rpc';
import { PresenceClient } from '#presence/client';
import { PRESENCE_SECRET } from '../world/presence-secret.js';
import type { Answer } from './http-connection.js';
import type { Poll, PollCarrier } from './poll-carrier.js';

const HOST = '127.0.0.1';
/** The deadline of a gateway. */
const DEADLINE_MS = 1500;
const JOINED_AT = 1_700_000_000;

/** Sends polls to a presence service like a gateway: with its client, without HTTP and without a sign-in. */
export function openWire(port: number): PollCarrier {
  const client = new PresenceClient({
    addresses: [{ host: HOST, port }],
    deadlineMs: DEADLINE_MS,
    secret: PRESENCE_SECRET,
  });
  return {
    exchange: async (poll) => {
      const answer = answerOf(await client.report(requestOf(poll)));
      // The client gives its own answer when the service does not answer. All later results are invalid.
      const { refused, unanswered } = client.counters.results;
      return refused + unanswered === 0 ? answer : { ...answer, status: 503 };
    },
    close: () => void client.close(),
  };
}

const requestOf = ({ user, cursor, pingOnly }: Poll): PresenceRequest => ({
  realmId: user.realmId,
  userId: user.userId,
  joinedAt: JOINED_AT,
  status: 'active',
  reportedAt: Math.floor(Date.now() / 1000),
  isVisible: true,
  isGuest: false,
  isRealmPresenceDisabled: false,
  pingOnly,
  lastUpdateId: cursor,
  historyLimitDays: null,
  format: 'modern',
  encoding: 'gzip',
});

/** The response that a gateway would send. */
const answerOf = (answer: PresenceAnswer): Answer =>
  typeof answer === 'string'
    ? { status: 200, body: successEnvelope(answer), isGzip: false }
    : { status: 200, body: answer.body.toString('latin1'), isGzip: true };
