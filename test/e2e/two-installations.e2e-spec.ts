import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { chaosSeed } from '#test/chaos-run';
import { SeededRandom } from '#test/seeded-random';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import type { ServiceFault } from '#test/fake-push-service';
import { FaultyProxy } from '#test/faulty-proxy';
import { Phone } from '#test/phone';
import { RemoteServer } from '#test/remote-server';
import type { SandboxDelivery } from '#test/sandbox-client';
import { startSystem, type System } from '#test/start-system';
import { pendingIn } from '#test/push-ledger';

const SETTLE_MS = 120_000;
const MESSAGES = 6;

/** Has the credentials of the providers. */
let service: System;
let proxy: FaultyProxy;
/** Sends through the service. */
let relay: System;
let encrypted: readonly EncryptedPhone[];
let plain: readonly Phone[];

beforeAll(async () => {
  service = await startSystem({ programs: ['push-sandbox', 'push-worker', 'api-gateway'] });
  proxy = await FaultyProxy.start(service.gatewayUrl);
  const account = await RemoteServer.register(service.gatewayUrl);
  relay = await startSystem({
    programs: ['push-worker', 'api-gateway'],
    environment: {
      PUSH_SERVICE_URL: proxy.url,
      PUSH_SERVICE_ORG_ID: account.id,
      PUSH_SERVICE_ORG_KEY: account.key,
      // It has no sandbox of its own.
      WEB_PUSH_HOSTS: 'localhost',
    },
  });
  const { public_key: publicKey } = service.demo.push_service;
  encrypted = [EncryptedPhone.iphone(publicKey), EncryptedPhone.android(publicKey)];
  plain = [Phone.iphone(), Phone.android()];
});

afterAll(async () => {
  await relay?.stop();
  await proxy?.stop();
  await service?.stop();
});

const answering = (status: number, body: string): ServiceFault => ({
  kind: 'answer',
  status,
  body,
});
/** The service gets no such request. */
const faults: readonly ServiceFault[] = [
  { kind: 'cut' },
  answering(500, ''),
  answering(502, '<html>'),
  answering(200, '{"result":'),
  answering(429, '{"result":"error","code":"RATE_LIMIT_HIT","msg":"later"}'),
];
const refusal = answering(401, '{"result":"error","code":"UNAUTHORIZED","msg":"no"}');

const isNotification = (path: string): boolean => path.includes('notify');

/** Sends a message to Bob at the server that relays; resolves with its id. */
async function send(): Promise<number> {
  const to = [relay.user('bob').user_id];
  const message = { type: 'direct', to, content: 'Hello' };
  const reply = await relay.api('alice').post('/messages', message);
  expect(reply).toMatchObject(success);
  return Number(reply.body['id']);
}

async function sendMany(): Promise<number[]> {
  const ids: number[] = [];
  for (let sent = 0; sent < MESSAGES; sent += 1) ids.push(await send());
  return ids;
}

const dataOf = ({ payload }: SandboxDelivery): Readonly<Record<string, unknown>> => {
  const { data } = (payload['message'] ?? { data: payload }) as { data: Record<string, unknown> };
  return data;
};

/** The messages that a phone has shown, with repetitions. */
const readOn = async (phone: EncryptedPhone) =>
  (await service.sandbox.shownOn(phone.token)).map((delivery) => {
    const read = phone.read(String(dataOf(delivery)['encrypted_data']));
    return (read as { message_id: number }).message_id;
  });
const shownOn = async (phone: Phone) =>
  (await service.sandbox.shownOn(phone.token)).map((delivery) => {
    const data = dataOf(delivery);
    const { message_ids: ids } = (data['zulip'] ?? {}) as { message_ids?: readonly number[] };
    return Number(ids?.[0] ?? data['zulip_message_id']);
  });

const shownEverywhere = async (): Promise<number[][]> => [
  ...(await Promise.all(encrypted.map(readOn))),
  ...(await Promise.all(plain.map(shownOn))),
];

/** Resolves with the messages on each phone once the relay has nothing left to send. */
async function settled(): Promise<number[][]> {
  await eventually(async () => {
    const pending = { where: { state: 'pending' } };
    expect(await pendingIn(relay.database.database.prisma)).toBe(0);
    expect(await service.database.database.prisma.remoteDelivery.count(pending)).toBe(0);
  }, SETTLE_MS);
  return shownEverywhere();
}

const onEachPhone = (ids: readonly number[]) => [...encrypted, ...plain].map(() => ids);

describe('An installation that relays through another one', () => {
  it('registers phones at the service', async () => {
    const bob = relay.api('bob');
    for (const phone of encrypted) await phone.register(bob);
    for (const phone of plain) await phone.register(bob);
    await eventually(async () => {
      const { body } = await bob.post('/register', { fetch_event_types: ['device'] });
      const devices = Object.values(body['devices'] as Record<string, { push_token_id: unknown }>);
      expect(devices.map(({ push_token_id }) => push_token_id).toSorted()).toEqual(
        encrypted.map(({ tokenId }) => tokenId).toSorted(),
      );
    }, SETTLE_MS);
  });

  it('notifies each phone once, in the order of the messages', async () => {
    const ids = await sendMany();
    expect(await settled()).toEqual(onEachPhone(ids));
    await service.sandbox.forget();
  }, 300_000);

  it(`loses and repeats nothing while requests fail on their way (seed ${chaosSeed})`, async () => {
    const random = new SeededRandom(chaosSeed);
    proxy.fault = (path) =>
      isNotification(path) && random.next() < 0.5 ? random.pick(faults) : null;
    const ids = await sendMany();
    proxy.fault = (path) => (isNotification(path) ? refusal : null);
    ids.push(...(await sendMany()));
    proxy.fault = () => null;
    await proxy.stop();
    ids.push(...(await sendMany()));
    await proxy.listen();
    expect(await settled()).toEqual(onEachPhone(ids));
    await service.sandbox.forget();
  }, 300_000);

  it('sends a notification after a request that hung', async () => {
    let hung = 0;
    proxy.fault = (path) => {
      if (!isNotification(path) || hung > 0) return null;
      hung += 1;
      return { kind: 'hang' };
    };
    const id = await send();
    await eventually(() => expect(hung).toBe(1));
    expect(await settled()).toEqual(onEachPhone([id]));
    await service.sandbox.forget();
  }, 300_000);

  it('repeats only notifications whose confirmation was lost', async () => {
    let lost = 0;
    proxy.fault = (path) => {
      if (!isNotification(path) || lost === 3) return null;
      lost += 1;
      return { kind: 'cut', done: true };
    };
    const ids = await sendMany();
    const shown = await settled();
    expect(shown.map((onPhone) => [...new Set(onPhone)])).toEqual(onEachPhone(ids));
    const repeated = shown.map((onPhone) => onPhone.length - ids.length);
    expect(Math.max(...repeated)).toBeLessThanOrEqual(lost);
    expect(lost).toBe(3);
  }, 300_000);
});
