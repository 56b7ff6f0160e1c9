import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { apnsDriver, type OutgoingPush, type PushTransport } from '#push/providers';
import type { ApnsAccess } from '../limits/apns-access.js';
import { providerToken } from '../limits/provider-token.js';
import { answerFanOut } from './answer-fan-out.js';

/** The default of the worker. */
const DEADLINE_MS = 10_000;
const LIFETIME_MS = 86_400_000;
// Not imported from the bench world: every import of this file would count as memory of the transport.
const APP_ID = 'org.carillon.fan-out';
const SERVER = 'fan-out.carillon.test';

answerFanOut(async (plan) => {
  if (!('apns' in plan.access)) throw new Error('There is a transport to Apple only.');
  const transport = await openTransport(plan.access.apns);
  const notification = notificationOf(Date.now());
  return async (token: string) => {
    const answer = await transport.send({ ...notification, token, deliveryId: randomUUID() });
    if (answer.kind !== 'accepted') throw new Error(JSON.stringify(answer));
  };
});

async function openTransport(apns: ApnsAccess): Promise<PushTransport> {
  const { host, port, keyId, teamId } = apns;
  const token = providerToken(apns, Math.floor(Date.now() / 1000));
  const open = await apnsDriver('http2');
  return open({
    host,
    port,
    certificateAuthority: readFileSync(apns.caFile, 'utf8'),
    credential: {
      kind: 'token',
      key: readFileSync(apns.keyFile, 'utf8'),
      keyId,
      teamId,
      tokens: { current: () => token, reportRefused: () => undefined },
    },
    deadlineMs: DEADLINE_MS,
  });
}

/** The same notification for every device of a fan-out. */
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
      realmUrl: `http://bench.${SERVER}`,
      server: SERVER,
    },
    content: { kind: 'test', time: Math.floor(now / 1000) },
    isWithdrawn: () => false,
  };
}
