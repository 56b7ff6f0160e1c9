import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TenantContentSealer } from '../notify/tenant-content-sealer.js';
import { TenantDeliveryQueue } from '../notify/tenant-delivery-queue.js';
import { TenantRepository } from '../servers/tenant.repository.js';
import { PushRevocations } from '#push/revocations';
import { eventually } from '#test/eventually';
import { usePushSystem } from '#test/push-system';
import { holdAnswers } from '#test/push-world';
import { RecordingTransport } from '#test/recording-transport';
import { addRemotePhone, addRemoteRealm, addRemoteServer } from '#test/remote-rows';
import { useFixture } from '#test/use-fixture';

const system = usePushSystem();
const worker = useFixture(() => system.startWorker({ fcm }));
let revocations: PushRevocations;
let serverId: number;
let realmId: number;
const fcm = new RecordingTransport();

beforeAll(async () => {
  revocations = system.service(PushRevocations);
});
beforeEach(async () => {
  serverId = await addRemoteServer(prisma());
  realmId = await addRemoteRealm(prisma(), serverId);
  fcm.answerWith(() => ({ kind: 'accepted' }));
});

const prisma = () => system.database.prisma;
const service = <Service>(type: new (...args: never[]) => Service): Service =>
  worker.get(type, { strict: false });

/** Accepts a notification to a new phone of the organisation; resolves with its id and the token. */
async function accept(expiresAt = new Date(Date.now() + 600_000)) {
  const { id: deviceId, token } = await addRemotePhone(prisma(), serverId, { realmId });
  const content = { isSilent: false, apnsUrgency: null, payload: { event: 'message' } };
  const sealed = new Uint8Array(service(TenantContentSealer).seal(content));
  const { id } = await prisma().remoteDelivery.create({
    data: { serverId, deviceId, platform: 'fcm', sealed, expiresAt },
  });
  return { id: Number(id), token };
}

const enqueue = ({ id }: { readonly id: number }) =>
  service(TenantDeliveryQueue).enqueue({
    serverId,
    deliveries: [{ id, platform: 'fcm' }],
    isSilent: false,
  });
const untilState = ({ id }: { readonly id: number }, state: string) =>
  eventually(async () => {
    expect(await prisma().remoteDelivery.findUnique({ where: { id } })).toMatchObject({ state });
  });
const sentTo = (token: string) => fcm.sent.find((push) => push.token === token);
const stopNow = () => ({ stoppedFrom: new Date(), stopReason: null });

describe('The stop of a server', () => {
  it.each(['server', 'organisation'])(
    'of one %s revokes what was accepted before',
    async (kind) => {
      const before = await accept();
      if (kind === 'server') {
        await prisma().remoteServer.update({ where: { id: serverId }, data: stopNow() });
      } else {
        await prisma().remoteRealm.update({ where: { id: realmId }, data: stopNow() });
      }
      // Only tests are accepted from a stopped server.
      const after = await accept();
      await enqueue(before);
      await enqueue(after);
      await untilState(before, 'revoked');
      await untilState(after, 'delivered');
      expect(sentTo(before.token)).toBeUndefined();
    },
  );

  it('that is announced in advance revokes nothing', async () => {
    const data = { stoppedFrom: new Date(Date.now() + 600_000) };
    await prisma().remoteServer.update({ where: { id: serverId }, data });
    const delivery = await accept();
    await enqueue(delivery);
    await untilState(delivery, 'delivered');
    expect(sentTo(delivery.token)).toBeDefined();
  });

  it.each(['server', 'realm'] as const)(
    'withdraws claimed pushes of the %s, and waits for those in flight',
    async (kind) => {
      const delivery = await accept();
      const events: string[] = [];
      const release = holdAnswers(fcm);
      await enqueue(delivery);
      await eventually(() => expect(sentTo(delivery.token)?.isWithdrawn()).toBe(false));
      const id = kind === 'server' ? serverId : realmId;
      const stopping = revocations.revokeSender(kind, id).then(() => events.push('stopped'));
      await eventually(() => expect(sentTo(delivery.token)?.isWithdrawn()).toBe(true));
      events.push('answered');
      release();
      await stopping;
      expect(events).toEqual(['answered', 'stopped']);
    },
  );

  it('leaves later claims to the stored stop', async () => {
    await revocations.revokeSender('server', serverId);
    const delivery = await accept();
    await enqueue(delivery);
    await untilState(delivery, 'delivered');
    expect(sentTo(delivery.token)?.isWithdrawn()).toBe(false);
  });

  it('is also the end of the registration', async () => {
    const delivery = await accept();
    await new TenantRepository(system.database).deactivate(serverId);
    await enqueue(delivery);
    await untilState(delivery, 'revoked');
    expect(sentTo(delivery.token)).toBeUndefined();
  });
});
