import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '#test/api-client';
import { eventually } from '#test/eventually';
import { addOrganisation } from '#test/organisation';
import { Phone } from '#test/phone';
import { androidToken } from '#test/push-tokens';
import { RemoteServer } from '#test/remote-server';
import { useSystem } from '#test/use-system';

const DEADLINE_MS = 2000;
/** A push that does not wait for the pause of ten seconds arrives in less. */
const AT_ONCE_MS = 9000;
/** Google's pause of ten seconds, plus up to half of it, after twice the deadline. */
const REPEATED_MS = 25_000;

const system = useSystem({
  environment: { PUSH_DEADLINE_MS: String(DEADLINE_MS), RATE_LIMIT_NEW_SERVERS: '60:1000' },
});
beforeEach(() => system.sandbox.setMode('fcm', { mode: 'ok' }));

interface Owner {
  readonly api: ApiClient;
  readonly phone: Phone;
}

async function newOwner(): Promise<Owner> {
  const { api } = await (await addOrganisation(system)).addPerson();
  return { api, phone: await Phone.android().register(api) };
}

const sendTest = ({ api, phone }: Owner) =>
  api.post('/mobile_push/test_notification', { token: phone.token });
const answerWith = ({ phone }: Owner, orders: object) =>
  system.sandbox.answer(phone.token, { platform: 'fcm', ...orders });
const attemptsOn = ({ phone }: Owner) => system.sandbox.deliveries({ token: phone.token });
const shownOn = (owner: Owner, withinMs = AT_ONCE_MS) =>
  eventually(async () => {
    const shown = await system.sandbox.shownOn(owner.phone.token);
    expect(shown).toHaveLength(1);
    return shown;
  }, withinMs);
const prisma = () => system.database.database.prisma;
const devicesOf = ({ phone }: Owner) =>
  prisma().pushDevice.count({ where: { token: phone.token } });
const statesOf = async ({ phone }: Owner) => {
  const device = await prisma().pushDevice.findFirstOrThrow({
    where: { token: phone.token },
  });
  const deliveries = await prisma().pushDelivery.findMany({
    where: { deviceId: device.id },
  });
  return deliveries.map(({ state, attempts, reason }) => ({ state, attempts, reason }));
};

describe('Google, without an answer in time', () => {
  it('gets no push again that it answers late', async () => {
    const owner = await newOwner();
    await answerWith(owner, { status: 200, delay_ms: DEADLINE_MS + 1000 });
    void sendTest(owner);
    await eventually(async () =>
      expect(await statesOf(owner)).toEqual([{ state: 'delivered', attempts: 1, reason: null }]),
    );
    expect(await attemptsOn(owner)).toHaveLength(1);
  });

  it('gets a push again after ten seconds at the earliest if the connection was lost', async () => {
    const owner = await newOwner();
    await system.sandbox.setMode('fcm', { mode: 'reset' });
    void sendTest(owner);
    await eventually(async () => expect(await attemptsOn(owner)).toHaveLength(1));
    await system.sandbox.setMode('fcm', { mode: 'ok' });
    await shownOn(owner, REPEATED_MS);
    const [first, second, ...more] = await attemptsOn(owner);
    expect((second?.received_at ?? 0) - (first?.received_at ?? 0)).toBeGreaterThanOrEqual(10);
    expect(more).toEqual([]);
  });

  it('gets a push again after ten seconds at the earliest, also after a shorter Retry-After', async () => {
    const owner = await newOwner();
    await answerWith(owner, { reason: 'UNAVAILABLE', retry_after: 1, times: 1 });
    void sendTest(owner);
    await shownOn(owner, REPEATED_MS);
    const [first, second] = await attemptsOn(owner);
    expect((second?.received_at ?? 0) - (first?.received_at ?? 0)).toBeGreaterThanOrEqual(10);
  });
});

describe('INVALID_ARGUMENT of Google', () => {
  it.each([
    ['the token', ['message.token'], 'dead_token', 0],
    ['no field', [], 'dead_token', 0],
    ['another field', ['message.data'], 'rejected', 1],
  ] as const)('that names %s', async (_what, fields, state, devices) => {
    // Otherwise a few dead tokens raise the prune alarm.
    await sendTest(await newOwner());
    const owner = await newOwner();
    await answerWith(owner, { reason: 'INVALID_ARGUMENT', bad_request: fields });
    const reply = await sendTest(owner);
    const isRefused = reply.body['code'] === 'INVALID_REMOTE_PUSH_DEVICE_TOKEN';
    expect(isRefused).toBe(state === 'dead_token');
    await eventually(async () => expect(await devicesOf(owner)).toBe(devices));
  });
});

describe('Answers about the tokens of some', () => {
  it.each([
    ['a 404 without a reason', { status: 404 }],
    ['a 404 in HTML', { status: 404, html: true }],
  ])('let no other phone wait, and remove no device: %s', async (_what, orders) => {
    const owners = await Promise.all(Array.from({ length: 4 }, newOwner));
    for (const owner of owners) {
      await answerWith(owner, orders);
      void sendTest(owner);
      await eventually(async () => expect(await attemptsOn(owner)).not.toEqual([]));
    }
    const good = await newOwner();
    void sendTest(good);
    await shownOn(good);
    for (const owner of owners) {
      expect(await devicesOf(owner)).toBe(1);
      expect(await statesOf(owner)).toMatchObject([{ state: 'pending', reason: 'HTTP 404' }]);
    }
  });

  it.each(['THIRD_PARTY_AUTH_ERROR', 'QUOTA_EXCEEDED'])(
    'of servers that registered themselves from one address let nobody wait: %s',
    async (reason) => {
      for (let count = 0; count < 4; count += 1) {
        const server = await RemoteServer.register(system.gatewayUrl);
        const token = androidToken();
        await server.post('/push/register', { user_id: 1, token, token_kind: 2 });
        await system.sandbox.answer(token, { platform: 'fcm', reason, retry_after: 600 });
        void server.postJson('/push/notify', { user_id: 1, gcm_payload: { event: 'message' } });
        await eventually(async () =>
          expect(await system.sandbox.deliveries({ token })).not.toEqual([]),
        );
      }
      const good = await newOwner();
      void sendTest(good);
      await shownOn(good);
    },
  );
});
