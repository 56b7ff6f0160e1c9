import { beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { chaosSeed, isLongRun } from '#test/chaos-run';
import { SeededRandom } from '#test/seeded-random';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import { FakePushService, type ServiceFault } from '#test/fake-push-service';
import { PushRegistrations } from '#test/push-registrations';
import { androidToken, iphoneToken } from '#test/push-tokens';
import { type Account, usePushSystem } from '#test/push-system';
import { useFixture } from '#test/use-fixture';

interface Person {
  readonly account: Account;
  readonly encrypted: readonly EncryptedPhone[];
  readonly plain: readonly string[];
}

const PEOPLE = 8;
const ROUNDS = isLongRun ? 12 : 1;
const MESSAGES_PER_ROUND = 10;
const SETTLE_MS = 120_000;

const service = useFixture(() => FakePushService.start());
const system = usePushSystem(() => ({ relay: service.settings }));
let workers: INestApplicationContext[];

beforeAll(async () => {
  workers = [
    await system.startRelayWorker({ sweepMs: 1000 }),
    await system.startRelayWorker({ sweepMs: 1000 }),
  ];
});
const answering = (status: number, body: string): ServiceFault => ({
  kind: 'answer',
  status,
  body,
});

/** Each of them lets some requests through. `done`: the service sends, and its answer is lost. */
const faults: readonly ServiceFault[] = [
  { kind: 'cut' },
  { kind: 'cut', done: true },
  answering(500, ''),
  answering(502, '<html>'),
  answering(200, '{"result":'),
  answering(429, '{"code":"RATE_LIMIT_HIT","msg":"later"}'),
];
const refusal = answering(401, '{"code":"UNAUTHORIZED","msg":"no"}');

async function addPerson(): Promise<Person> {
  const account = await system.addAccount();
  const encrypted = [
    EncryptedPhone.iphone(service.publicKey),
    EncryptedPhone.android(service.publicKey),
  ];
  const plain = [androidToken(), iphoneToken()];
  const registrations = new PushRegistrations(system);
  for (const phone of encrypted) await registrations.register(account, phone);
  const [android = '', iphone = ''] = plain;
  await system.devices.register(account, { platform: 'fcm', token: android });
  await system.devices.register(account, { platform: 'apns', token: iphone, appId: 'org.a' });
  return { account, encrypted, plain };
}

/** The messages of confirmed requests to a phone, with repetitions. */
function confirmedFor(phone: EncryptedPhone): unknown[] {
  return service.sent
    .filter(({ token, isConfirmed }) => isConfirmed && token === phone.token)
    .flatMap(({ payload }) => {
      const plain = phone.read(String(payload['encrypted_data']));
      return (plain as { message_ids: number[] }).message_ids;
    });
}

const confirmedForToken = (token: string): unknown[] =>
  service.notified
    .filter(({ tokens, isConfirmed }) => isConfirmed && tokens.includes(token))
    .map(({ body }) => (body['gcm_payload'] as { zulip_message_ids: string }).zulip_message_ids);

/** Sends while requests fail at random, while all sign-ins are refused, and while the service is gone. */
async function makeTrouble(random: SeededRandom, send: () => Promise<void>): Promise<void> {
  service.fault = ({ path }) =>
    path.includes('notify') && random.next() < 0.5 ? random.pick(faults) : null;
  for (let sent = 0; sent < MESSAGES_PER_ROUND; sent += 1) await send();
  await eventually(() => expect(service.sent.length).toBeGreaterThan(0), SETTLE_MS);
  service.fault = () => refusal;
  for (let sent = 0; sent < MESSAGES_PER_ROUND; sent += 1) await send();
  service.fault = () => null;
  await service.stop();
  for (let sent = 0; sent < MESSAGES_PER_ROUND; sent += 1) await send();
  await service.listen();
}

describe('A server that relays, while its push service fails', () => {
  it(`loses nothing, and repeats only what was not confirmed (seed ${chaosSeed})`, async () => {
    const random = new SeededRandom(chaosSeed);
    const people: Person[] = [];
    for (let count = 0; count < PEOPLE; count += 1) people.push(await addPerson());
    await eventually(async () => {
      const pending = { where: { pendingTokenId: { not: null } } };
      expect(await system.database.prisma.clientDevice.count(pending)).toBe(0);
    });
    const wanted = new Map(people.map((person) => [person, [] as number[]]));
    let messageId = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      await makeTrouble(random, async () => {
        const person = random.pick(people);
        messageId += 1;
        await system.takeBack(messageId, person.account);
        wanted.get(person)?.push(messageId);
      });
      await eventually(async () => {
        const pending = { where: { state: 'pending' } };
        expect(await system.database.prisma.pushDelivery.count(pending)).toBe(0);
      }, SETTLE_MS);
    }
    for (const [{ encrypted, plain }, ids] of wanted) {
      for (const phone of encrypted) expect(confirmedFor(phone)).toEqual(ids);
      for (const token of plain) expect(confirmedForToken(token)).toEqual(ids.map(String));
    }
    expect(workers).toHaveLength(2);
  }, 600_000);
});
