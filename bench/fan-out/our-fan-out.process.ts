import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ApnsHttp2Transport, type OutgoingPush } from '#push-transport';
import type { ApnsAccess } from '../limits/apns-access.js';
import { providerToken } from '../limits/provider-token.js';
import { APP_ID, EXTERNAL_HOST } from '../world/bench-world.js';
import { answerFanOut } from './answer-fan-out.js';

/** As the worker waits by default. */
const DEADLINE_MS = 10_000;
const LIFETIME_MS = 86_400_000;

answerFanOut((plan) => {
  const transport = openTransport(plan.apns);
  const notification = notificationOf(Date.now());
  return Promise.resolve(async (token: string) => {
    const answer = await transport.send({ ...notification, token, deliveryId: randomUUID() });
    if (answer.kind !== 'accepted') throw new Error(JSON.stringify(answer));
  });
});

function openTransport(apns: ApnsAccess): ApnsHttp2Transport {
  const { host, port, keyId, teamId } = apns;
  const token = providerToken(apns, Math.floor(Date.now() / 1000));
  return new ApnsHttp2Transport({
    host,
    port,
    certificateAuthority: readFileSync(apns.caFile, 'utf8'),
    credential: {
      kind: 'token',
      key: readFileSync(apns.keyFile, 'utf8'),
      keyId,
      teamId,
      tokens: { current: () => Promise.resolve(token), refused: () => undefined },
    },
    deadlineMs: DEADLINE_MS,
  });
}

/** One notification for everybody, as a fan-out has it. */
function notificationOf(now: number): Omit<OutgoingPush, 'token' | 'deliveryId'> {
  return {
    notificationId: randomUUID(),
    appId: APP_ID,
    environment: null,
    expiresAt: now + LIFETIME_MS,
    recipient: {
      userId: 1,
      realmId: 1,
      realmName: 'bench',
      realmUrl: `http://bench.${EXTERNAL_HOST}`,
      server: EXTERNAL_HOST,
    },
    content: { kind: 'test', time: Math.floor(now / 1000) },
    isWithdrawn: () => false,
  };
}
