import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '#platform/contracts';
import { WebPushRegistration, WebPushSubscriptions } from '#push/devices';
import { SubscriptionTests } from '#push/notifications';
import { refusal } from '#push/providers';
import { eventually } from '#test/eventually';
import { type Account, usePushSystem } from '#test/push-system';
import { RecordingTransport } from '#test/recording-transport';
import { addVapidKey, newSubscription } from '#test/web-push-client';

const system = usePushSystem();
let account: Account;
let vapidKey: string;
const web = new RecordingTransport();
const NOT_ACTIVE = 'No active registered push device';

beforeAll(async () => {
  vapidKey = await addVapidKey(system.database);
  await system.startWorker({ web });
});
beforeEach(async () => {
  account = await system.addAccount();
  web.sent.splice(0);
  web.answerWith(() => ({ kind: 'accepted' }));
});

const prisma = () => system.database.prisma;
const callerOf = (one: Account): Caller => ({
  ...one,
  deliveryEmail: '',
  role: 400,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 0,
  realm: { id: system.realmId, subdomain: '', isPresenceDisabled: false },
});

const register = (fields = newSubscription(vapidKey), by = account) =>
  system.service(WebPushRegistration).register(callerOf(by), fields);
const confirm = (id: number, token: string, by = account) =>
  system.service(WebPushRegistration).confirm(callerOf(by), id, token);

/** The token that was sent to a subscription last. */
const tokenOf = (id: number): Promise<string> =>
  eventually(() => {
    const contents = web.sent.map(({ content }) => content);
    const sent = contents.findLast((one) => one.kind === 'confirm' && one.subscriptionId === id);
    if (sent?.kind !== 'confirm') throw new Error('No confirmation was sent');
    return sent.token;
  });

/** An active subscription. */
async function subscribe({ by = account, fields = newSubscription(vapidKey) } = {}) {
  const { id } = await register(fields, by);
  await confirm(id, await tokenOf(id), by);
  return { id, ...fields };
}

const sendTest = (id: number, by = account) => system.service(SubscriptionTests).send(by, id);
const states = async () => (await system.deliveriesOf(account)).map(({ state }) => state);
const row = (id: number) => prisma().webPushSubscription.findUnique({ where: { id } });

/** Stores one more VAPID key, and resolves with its public key. */
async function addOtherKey(): Promise<string> {
  const publicKey = newSubscription('').p256dh;
  const bytes = new Uint8Array(Buffer.from(publicKey, 'base64url'));
  await prisma().webPushKey.create({ data: { publicKey: bytes, sealed: new Uint8Array() } });
  return publicKey;
}

describe('A subscription of Web Push', () => {
  it('gets its token at once, and nothing else before it came back', async () => {
    const fields = newSubscription(vapidKey);
    const { id, state } = await register(fields);
    expect(state).toBe('pending');
    const token = await tokenOf(id);
    expect(web.sent).toMatchObject([
      {
        token: fields.endpoint,
        content: { kind: 'confirm', subscriptionId: id },
        web: {
          kind: 'browser',
          p256dh: Buffer.from(fields.p256dh, 'base64url'),
          auth: Buffer.from(fields.auth, 'base64url'),
          vapidKeyId: expect.any(Number),
        },
      },
    ]);
    await expect(sendTest(id)).rejects.toThrow(NOT_ACTIVE);
    await expect(confirm(id, `${token}x`)).rejects.toThrow('Invalid confirmation token');
    await expect(sendTest(id)).rejects.toThrow(NOT_ACTIVE);
    await confirm(id, token);
    await sendTest(id);
    await eventually(async () => expect(await states()).toEqual(['delivered', 'delivered']));
    expect(web.sent.map(({ content }) => content.kind)).toEqual(['confirm', 'test']);
    // A lost answer to the confirmation is no reason to fail.
    await confirm(id, token);
  });

  it('has an end at the service when its notification ends', async () => {
    const { id } = await subscribe();
    await sendTest(id);
    await eventually(() => expect(web.sent).toHaveLength(2));
    const left = Number(web.sent[1]?.expiresAt) - Date.now();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(600_000);
  });

  it('keeps its state at a repetition, and loses it with other keys', async () => {
    const { id, ...fields } = await subscribe();
    expect(await register(fields)).toEqual({ id, state: 'active' });
    expect(web.sent).toHaveLength(1);
    const { auth } = newSubscription(vapidKey);
    expect(await register({ ...fields, auth })).toEqual({ id, state: 'pending' });
    await expect(sendTest(id)).rejects.toThrow(NOT_ACTIVE);
    await eventually(() => expect(web.sent).toHaveLength(2));
    expect(web.sent[1]?.web?.auth).toEqual(Buffer.from(auth, 'base64url'));
  });

  it('gets the same token again while it is pending', async () => {
    const fields = newSubscription(vapidKey);
    const { id } = await register(fields);
    const token = await tokenOf(id);
    await register(fields);
    await eventually(() => expect(web.sent).toHaveLength(2));
    expect(await tokenOf(id)).toBe(token);
  });

  it('cannot be confirmed by another account, nor ten minutes later', async () => {
    const fields = newSubscription(vapidKey);
    const { id } = await register(fields);
    const token = await tokenOf(id);
    const other = await system.addAccount();
    await expect(confirm(id, token, other)).rejects.toThrow('Invalid confirmation token');
    const registeredAt = new Date(Date.now() - 601_000);
    await prisma().webPushSubscription.update({ where: { id }, data: { registeredAt } });
    await expect(confirm(id, token)).rejects.toThrow('Invalid confirmation token');
  });

  it('is removed for all accounts of a browser when its service has forgotten it', async () => {
    const one = await subscribe();
    const other = await system.addAccount();
    const { id: _id, ...fields } = one;
    const same = await subscribe({ by: other, fields });
    web.answerWith(() => refusal({ status: 410, reason: null }));
    await sendTest(one.id);
    await eventually(async () => expect((await states()).at(-1)).toBe('dead_token'));
    expect([await row(one.id), await row(same.id)]).toEqual([null, null]);
  });

  it('stays when its service refuses its endpoint with the VAPID key of another account', async () => {
    const one = await subscribe();
    const { id: _id, ...fields } = one;
    const other = await system.addAccount();
    web.answerWith(() => refusal({ status: 403, reason: 'VapidKeyMismatch' }));
    const wrong = await register({ ...fields, vapid_public_key: await addOtherKey() }, other);
    await eventually(async () => expect(await row(wrong.id)).toBeNull());
    expect(await row(one.id)).toMatchObject({ state: 'active' });
  });

  it('is not lost by a failure after weeks without a push', async () => {
    const fields = { ...newSubscription(vapidKey), endpoint: 'https://push.example/quiet' };
    const { id } = await subscribe({ fields });
    const weeksAgo = new Date(Date.now() - 30 * 86_400_000);
    await prisma().webPushSubscription.update({ where: { id }, data: { registeredAt: weeksAgo } });
    web.answerWith(() => refusal({ status: 503, reason: null }));
    await sendTest(id);
    const failing = { failingSince: expect.any(Date) };
    await eventually(async () => expect(await row(id)).toMatchObject(failing));
    expect(await states()).toEqual(['delivered', 'pending']);
  });

  it('is removed when its host has failed for two weeks, and no answer came between', async () => {
    const fields = { ...newSubscription(vapidKey), endpoint: 'https://push.example/lost' };
    const { id } = await subscribe({ fields });
    const failingSince = new Date(Date.now() - 15 * 86_400_000);
    const fail = () =>
      prisma().webPushSubscription.update({ where: { id }, data: { failingSince } });
    await fail();
    await sendTest(id);
    await eventually(async () => expect(await row(id)).toMatchObject({ failingSince: null }));
    await fail();
    web.answerWith(() => refusal({ status: 503, reason: null }));
    await sendTest(id);
    await eventually(async () => expect(await row(id)).toBeNull());
  });

  it('gets nothing that was accepted before its account got a new API key', async () => {
    const { id } = await subscribe();
    const renewed = await system.replaceKey(account);
    await expect(sendTest(id)).rejects.toThrow(NOT_ACTIVE);
    await system.logouts.revoke(renewed);
    await eventually(async () => expect(await row(id)).toBeNull());
  });

  it('gets nothing after it was removed', async () => {
    const { id, endpoint } = await subscribe();
    const subscriptions = system.service(WebPushSubscriptions);
    await subscriptions.remove(callerOf(account), 0, endpoint);
    expect(await subscriptions.list(callerOf(account))).toEqual([]);
    await expect(sendTest(id)).rejects.toThrow(NOT_ACTIVE);
    await subscriptions.remove(callerOf(account), 0, endpoint);
  });

  it('gets notifications of an organisation that requires encryption', async () => {
    const { id } = await subscribe();
    const where = { id: system.realmId };
    await prisma().realm.update({ where, data: { requiresEncryptedPush: true } });
    await sendTest(id);
    await eventually(async () => expect(await states()).toEqual(['delivered', 'delivered']));
    await prisma().realm.update({ where, data: { requiresEncryptedPush: false } });
  });

  it('is lost with its VAPID key', async () => {
    const publicKey = await addOtherKey();
    const { id } = await register(newSubscription(publicKey));
    const bytes = new Uint8Array(Buffer.from(publicKey, 'base64url'));
    await prisma().webPushKey.deleteMany({ where: { publicKey: bytes } });
    expect(await row(id)).toBeNull();
  });
});
