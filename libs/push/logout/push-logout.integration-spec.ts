import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bumpAuthVersions } from '#directory/auth';
import { RecordingTransport } from '#test/recording-transport';
import { eventually } from '#test/eventually';
import { androidToken } from '#test/push-tokens';
import { type Account, publishedAccounts, PushSystem } from '#test/push-system';
import { holdAnswers } from '#test/push-world';

let system: PushSystem;
const fcm = new RecordingTransport();

beforeAll(async () => {
  system = await PushSystem.start();
  await system.startWorker({ fcm });
});

afterAll(() => system?.stop());

const register = (account: Account, token: string) =>
  system.devices.register(account, { platform: 'fcm', token });

const untilKept = (outboxId: string) =>
  eventually(async () => {
    const id = BigInt(outboxId);
    expect(await system.database.prisma.outboxEntry.findUnique({ where: { id } })).toBeNull();
  });

describe('The logout after a new API key', () => {
  it('removes the devices of the old key and publishes the change', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    const renewed = await system.replaceKey(account);
    await system.logouts.revoke(renewed);
    await untilKept(renewed.outboxId);
    expect(await system.tokensOf(account)).toEqual([]);
    expect(publishedAccounts).toContain(account.userId);
  });

  it('keeps a device that was registered again with the new key', async () => {
    const account = await system.addAccount();
    const [kept, gone] = [androidToken(), androidToken()];
    await register(account, kept);
    await register(account, gone);
    const renewed = await system.replaceKey(account);
    await register(renewed, kept);
    await system.logouts.revoke(renewed);
    await untilKept(renewed.outboxId);
    expect(await system.tokensOf(account)).toEqual([kept]);
  });

  it('ends the pending deliveries to the old devices', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    fcm.answerWith(() => ({ kind: 'unanswered', reason: 'connection' }));
    await system.sendTest.send(account);
    const renewed = await system.replaceKey(account);
    await system.logouts.revoke(renewed);
    await eventually(async () => {
      const [delivery] = await system.deliveriesOf(account);
      expect(delivery).toMatchObject({ state: 'revoked' });
    });
    fcm.answerWith(() => ({ kind: 'accepted' }));
  });

  it('waits for the pushes in flight, and starts no others', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    const events: string[] = [];
    const release = holdAnswers(fcm);
    const sentBefore = fcm.sent.length;
    await system.sendTest.send(account);
    await eventually(() => expect(fcm.sent).toHaveLength(sentBefore + 1));
    const renewed = await system.replaceKey(account);
    const revoking = system.logouts.revoke(renewed).then(() => events.push('logged out'));
    await eventually(() => expect(fcm.sent.at(-1)?.isWithdrawn()).toBe(true));
    events.push('answered');
    release();
    await revoking;
    expect(events).toEqual(['answered', 'logged out']);
    fcm.answerWith(() => ({ kind: 'accepted' }));
  });

  it('does not wait for a provider that does not answer', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    const answer = holdAnswers(fcm, { kind: 'unanswered', reason: 'deadline' });
    const sentBefore = fcm.sent.length;
    await system.sendTest.send(account);
    await eventually(() => expect(fcm.sent).toHaveLength(sentBefore + 1));
    await system.logouts.revoke(await system.replaceKey(account));
    answer();
    await eventually(async () => {
      const [delivery] = await system.deliveriesOf(account);
      expect(delivery).toMatchObject({ state: 'revoked' });
    });
    fcm.answerWith(() => ({ kind: 'accepted' }));
  });

  it('is done by the sweeper if the revocation was lost', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    const { outboxId } = await system.replaceKey(account);
    await system.database.query(
      'age_promise',
      `UPDATE outbox SET created_at = now() - interval '1 minute' WHERE id = $1`,
      [outboxId],
    );
    const worker = await system.startWorker({ fcm });
    await system.sweep(worker);
    await untilKept(outboxId);
    expect(await system.tokensOf(account)).toEqual([]);
  });

  it('rejects registrations with the old key', async () => {
    const account = await system.addAccount();
    await system.replaceKey(account);
    await expect(register(account, androidToken())).rejects.toThrow('Invalid API key');
    await expect(system.sendTest.send(account, { token: androidToken() })).rejects.toThrow(
      'Device not recognized',
    );
  });

  it('removes all devices of an old key and none of the new one, in any order of events', async () => {
    const step = fc.constantFrom('register old', 'register new', 'replace', 'log out');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const old = await system.addAccount();
        const kept = androidToken();
        const renewing = system.replaceKey(old);
        const renewed = { ...old, keyGeneration: old.keyGeneration + 1 };
        let isKept = false;
        const acts = {
          'register old': () => register(old, androidToken()).catch(() => undefined),
          'register new': () =>
            register(renewed, kept).then(
              () => (isKept = true),
              () => undefined,
            ),
          replace: () => renewing,
          'log out': async () => system.logouts.revoke(await renewing),
        };
        await Promise.all(steps.map((name) => acts[name]()));
        const promise = await renewing;
        await system.logouts.revoke(promise);
        await untilKept(promise.outboxId);
        expect(await system.tokensOf(old)).toEqual(isKept ? [kept] : []);
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

describe('The deactivation of an account', () => {
  const setActive = ({ userId: id }: Account, isActive: boolean) =>
    system.database.prisma.user.update({ where: { id }, data: { isActive } });
  const stateOf = async (account: Account) => (await system.deliveriesOf(account))[0]?.state;

  it('waits for the pushes in flight, and starts no others that were claimed', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    const events: string[] = [];
    const release = holdAnswers(fcm);
    const sentBefore = fcm.sent.length;
    await system.sendTest.send(account);
    await eventually(() => expect(fcm.sent).toHaveLength(sentBefore + 1));
    const push = fcm.sent.at(-1);
    expect(push?.isWithdrawn()).toBe(false);
    await setActive(account, false);
    const silencing = system.logouts
      .stopDeliveries([account.userId])
      .then(() => events.push('deactivated'));
    await eventually(() => expect(push?.isWithdrawn()).toBe(true));
    events.push('answered');
    release();
    await silencing;
    expect(events).toEqual(['answered', 'deactivated']);
    fcm.answerWith(() => ({ kind: 'accepted' }));
  });

  it('is over for notifications that are claimed after a reactivation', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    await setActive(account, false);
    await system.logouts.stopDeliveries([account.userId]);
    await setActive(account, true);
    await system.sendTest.send(account);
    await eventually(async () => expect(await stateOf(account)).toBe('delivered'));
  });

  /** Stores the logout of an activation or a deactivation, and executes it. */
  const logOut = async ({ userId, keyGeneration }: Account) => {
    await system.database.transaction((transaction) => bumpAuthVersions(transaction, [userId]));
    const payload = { path: ['userId'], equals: userId };
    const entry = await system.database.prisma.outboxEntry.findFirstOrThrow({ where: { payload } });
    const outboxId = String(entry.id);
    await system.logouts.revoke({ outboxId, userId, keyGeneration });
    await untilKept(outboxId);
  };
  const addClientDevice = ({ userId, keyGeneration }: Account) =>
    system.database.prisma.clientDevice.create({
      data: { userId, keyGeneration, realmId: system.realmId },
    });
  const clientDevicesOf = ({ userId }: Account) =>
    system.database.prisma.clientDevice.count({ where: { userId } });

  it('removes all devices of the account, with their events and pending deliveries', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    const { id } = await addClientDevice(account);
    fcm.answerWith(() => ({ kind: 'unanswered', reason: 'connection' }));
    await system.sendTest.send(account);
    fcm.answerWith(() => ({ kind: 'accepted' }));
    await setActive(account, false);
    await logOut(account);
    expect(await system.tokensOf(account)).toEqual([]);
    expect(await clientDevicesOf(account)).toBe(0);
    expect(await stateOf(account)).toBe('revoked');
    expect(
      await system.database.prisma.event.findFirst({ where: { type: 'device' } }),
    ).toMatchObject({ body: { op: 'remove', device_id: id } });
  });

  it('keeps the devices of an account that is active again', async () => {
    const account = await system.addAccount();
    const token = androidToken();
    await register(account, token);
    await addClientDevice(account);
    await setActive(account, false);
    await setActive(account, true);
    await logOut(account);
    expect(await system.tokensOf(account)).toEqual([token]);
    expect(await clientDevicesOf(account)).toBe(1);
  });

  it('does not end those of other accounts', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    const release = holdAnswers(fcm);
    const sentBefore = fcm.sent.length;
    await system.sendTest.send(account);
    await eventually(() => expect(fcm.sent).toHaveLength(sentBefore + 1));
    await system.logouts.stopDeliveries([(await system.addAccount()).userId]);
    expect(fcm.sent.at(-1)?.isWithdrawn()).toBe(false);
    release();
    fcm.answerWith(() => ({ kind: 'accepted' }));
  });
});
