import type { INestApplicationContext } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bumpAuthVersions } from '#directory/auth';
import { JobQueues } from '#platform/queue';
import { PubSub } from '#platform/redis';
import type { PushJobs } from '#push/jobs';
import type { ProviderAnswer } from '#push/providers';
import { PushRevocations } from '#push/revocations';
import { eventually } from '#test/eventually';
import { androidToken } from '#test/push-tokens';
import { publishedAccounts } from '#test/push-programs';
import { type Account, usePushSystem } from '#test/push-system';
import { holdAnswers, PushWorld } from '#test/push-world';
import { PushDeviceRevoker } from './push-device-revoker.js';

const system = usePushSystem();
let world: PushWorld;
let worker: INestApplicationContext;
let account: Account;

beforeEach(async () => {
  world = await PushWorld.in(system);
  worker = await world.startWorker();
  ({ account } = world);
});
afterEach(() => system.stopWorkers());

const register = (owner: Account, token: string) =>
  system.devices.register(owner, { platform: 'fcm', token });

/** Sends a test, whose push waits for its answer until `release` is called. */
const pushInFlight = async (answer: ProviderAnswer = { kind: 'accepted' }) => {
  const release = holdAnswers(world.fcm, answer);
  await world.sendTest();
  const push = await eventually(() => {
    const [sent] = world.fcm.sent;
    if (sent === undefined) throw new Error('The push is not sent yet');
    return sent;
  });
  return { push, release };
};

const untilKept = (outboxId: string) =>
  eventually(async () => {
    const id = BigInt(outboxId);
    expect(await system.database.prisma.outboxEntry.findUnique({ where: { id } })).toBeNull();
  });

describe('The logout after a new API key', () => {
  it('removes the devices of the old key and publishes the change', async () => {
    await world.addPhone();
    const renewed = await system.replaceKey(account);
    await system.logouts.revoke(renewed);
    await untilKept(renewed.outboxId);
    expect(await system.tokensOf(account)).toEqual([]);
    expect(publishedAccounts).toContain(account.userId);
  });

  it('keeps a device that was registered again with the new key', async () => {
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
    await world.addPhone();
    world.fcm.answerWith(() => ({ kind: 'unanswered', reason: 'connection' }));
    await world.sendTest();
    const renewed = await system.replaceKey(account);
    await system.logouts.revoke(renewed);
    await eventually(async () => {
      const [delivery] = await world.deliveries();
      expect(delivery).toMatchObject({ state: 'revoked' });
    });
  });

  it('waits for the pushes in flight, and starts no others', async () => {
    await world.addPhone();
    const events: string[] = [];
    const { push, release } = await pushInFlight();
    const renewed = await system.replaceKey(account);
    const revoking = system.logouts.revoke(renewed).then(() => events.push('logged out'));
    await eventually(() => expect(push.isWithdrawn()).toBe(true));
    events.push('answered');
    release();
    await revoking;
    expect(events).toEqual(['answered', 'logged out']);
  });

  it('does not wait for a provider that does not answer', async () => {
    await world.addPhone();
    const { release } = await pushInFlight({ kind: 'unanswered', reason: 'deadline' });
    const impatient = new PushDeviceRevoker(
      system.service<JobQueues<PushJobs>>(JobQueues),
      new PushRevocations(system.service(PubSub), system.queueOptions),
    );
    await impatient.revoke(await system.replaceKey(account));
    release();
    await eventually(async () => {
      const [delivery] = await world.deliveries();
      expect(delivery).toMatchObject({ state: 'revoked' });
    });
  });

  it('is done by the sweeper if the revocation was lost', async () => {
    await world.addPhone();
    const { outboxId } = await system.replaceKey(account);
    await system.database.query(
      'age_promise',
      `UPDATE outbox SET created_at = now() - interval '1 minute' WHERE id = $1`,
      [outboxId],
    );
    await system.sweep(worker);
    await untilKept(outboxId);
    expect(await system.tokensOf(account)).toEqual([]);
  });

  it('rejects registrations with the old key', async () => {
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
  });
});

describe('The deactivation of an account', () => {
  const setActive = ({ userId: id }: Account, isActive: boolean) => {
    const data = isActive ? { isActive, keyGeneration: { increment: 1 } } : { isActive };
    return system.database.prisma.user.update({ where: { id }, data });
  };
  const state = async () => (await world.deliveries())[0]?.state;

  it('waits for the pushes in flight, and starts no others that were claimed', async () => {
    await world.addPhone();
    const events: string[] = [];
    const { push, release } = await pushInFlight();
    expect(push.isWithdrawn()).toBe(false);
    await setActive(account, false);
    const silencing = system.logouts
      .stopDeliveries([account.userId])
      .then(() => events.push('deactivated'));
    await eventually(() => expect(push.isWithdrawn()).toBe(true));
    events.push('answered');
    release();
    await silencing;
    expect(events).toEqual(['answered', 'deactivated']);
  });

  it('is over for notifications that are claimed after a reactivation', async () => {
    await setActive(account, false);
    await system.logouts.stopDeliveries([account.userId]);
    const { keyGeneration } = await setActive(account, true);
    const again = { ...account, keyGeneration };
    await register(again, androidToken());
    await system.sendTest.send(again);
    await eventually(async () => expect(await state()).toBe('delivered'));
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
    await world.addPhone();
    const { id } = await addClientDevice(account);
    world.fcm.answerWith(() => ({ kind: 'unanswered', reason: 'connection' }));
    await world.sendTest();
    await setActive(account, false);
    await logOut(account);
    expect(await system.tokensOf(account)).toEqual([]);
    expect(await clientDevicesOf(account)).toBe(0);
    expect(await state()).toBe('revoked');
    const body = { path: ['device_id'], equals: id };
    const event = await system.database.prisma.event.findFirst({ where: { type: 'device', body } });
    expect(event).toMatchObject({ body: { op: 'remove', device_id: id } });
  });

  it('removes the devices also after a reactivation, and keeps those that were registered again', async () => {
    const [kept, gone] = [androidToken(), androidToken()];
    await register(account, kept);
    await register(account, gone);
    await addClientDevice(account);
    await setActive(account, false);
    const { keyGeneration } = await setActive(account, true);
    const again = { ...account, keyGeneration };
    await register(again, kept);
    await addClientDevice(again);
    await logOut(again);
    expect(await system.tokensOf(account)).toEqual([kept]);
    expect(await clientDevicesOf(account)).toBe(1);
  });

  it('keeps the devices of an account that was changed in another way', async () => {
    const token = androidToken();
    await register(account, token);
    await addClientDevice(account);
    await logOut(account);
    expect(await system.tokensOf(account)).toEqual([token]);
    expect(await clientDevicesOf(account)).toBe(1);
  });

  it('does not end those of other accounts', async () => {
    await world.addPhone();
    const { push, release } = await pushInFlight();
    await system.logouts.stopDeliveries([(await system.addAccount()).userId]);
    expect(push.isWithdrawn()).toBe(false);
    release();
  });
});
