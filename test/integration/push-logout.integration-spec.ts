import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RecordingTransport } from '#push-transport';
import { eventually } from '../support/eventually.js';
import { androidToken } from '../support/push-tokens.js';
import { type Account, publishedAccounts, PushSystem } from './push-system.js';
import { holdAnswers } from './push.world.js';

let system: PushSystem;
const fcm = new RecordingTransport();

beforeAll(async () => {
  system = await PushSystem.start();
  await system.startWorker({ fcm });
}, 20_000);

afterAll(() => system?.stop());

const register = (account: Account, token: string) =>
  system.registerDevice.execute(account, { platform: 'fcm', token });

const untilKept = (outboxId: string) =>
  eventually(async () => {
    const id = BigInt(outboxId);
    expect(await system.database.prisma.outboxEntry.findUnique({ where: { id } })).toBeNull();
  });

describe('The logout that a new API key brings', () => {
  it('removes the devices of the old key and tells the gateways', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    const renewed = await system.replaceKey(account);
    await system.logouts.hurry(renewed);
    await untilKept(renewed.outboxId);
    expect(await system.tokensOf(account)).toEqual([]);
    expect(publishedAccounts).toContain(account.userId);
  });

  it('leaves a device that was registered again with the new key', async () => {
    const account = await system.addAccount();
    const [kept, gone] = [androidToken(), androidToken()];
    await register(account, kept);
    await register(account, gone);
    const renewed = await system.replaceKey(account);
    await register(renewed, kept);
    await system.logouts.hurry(renewed);
    await untilKept(renewed.outboxId);
    expect(await system.tokensOf(account)).toEqual([kept]);
  });

  it('ends what was on its way to the old devices', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    fcm.answerWith(() => ({ kind: 'unanswered', reason: 'connection' }));
    await system.sendTest.execute(account);
    const renewed = await system.replaceKey(account);
    await system.logouts.hurry(renewed);
    await eventually(async () => {
      const [delivery] = await system.deliveriesOf(account);
      expect(delivery).toMatchObject({ state: 'revoked' });
    });
    fcm.answerWith(() => ({ kind: 'accepted' }));
  });

  it('waits for what is being sent, and lets nothing follow', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    const events: string[] = [];
    let answer: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    fcm.answerWith(async () => {
      events.push('sent');
      await isAnswered;
      events.push('answered');
      return { kind: 'accepted' };
    });
    await system.sendTest.execute(account);
    await eventually(() => expect(events).toEqual(['sent']));
    const renewed = await system.replaceKey(account);
    const hurrying = system.logouts.hurry(renewed).then(() => events.push('logged out'));
    await eventually(() => expect(fcm.sent.at(-1)?.isWithdrawn()).toBe(true));
    answer();
    await hurrying;
    expect(events).toEqual(['sent', 'answered', 'logged out']);
    fcm.answerWith(() => ({ kind: 'accepted' }));
  });

  it('does not wait for a provider that does not answer', async () => {
    const account = await system.addAccount();
    await register(account, androidToken());
    const answer = holdAnswers(fcm, { kind: 'unanswered', reason: 'deadline' });
    const sentBefore = fcm.sent.length;
    await system.sendTest.execute(account);
    await eventually(() => expect(fcm.sent).toHaveLength(sentBefore + 1));
    await system.logouts.hurry(await system.replaceKey(account));
    answer();
    await eventually(async () => {
      const [delivery] = await system.deliveriesOf(account);
      expect(delivery).toMatchObject({ state: 'revoked' });
    });
    fcm.answerWith(() => ({ kind: 'accepted' }));
  });

  it('is done by the sweeper when nobody hurried it along', async () => {
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

  it('refuses registrations with the old key', async () => {
    const account = await system.addAccount();
    await system.replaceKey(account);
    await expect(register(account, androidToken())).rejects.toThrow('Invalid API key');
    await expect(system.sendTest.execute(account, { token: androidToken() })).rejects.toThrow(
      'Device not recognized',
    );
  });

  it('leaves no device of an old key and takes none of the new, in whatever order things happen', async () => {
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
          'log out': async () => system.logouts.hurry(await renewing),
        };
        await Promise.all(steps.map((name) => acts[name]()));
        const promise = await renewing;
        await system.logouts.hurry(promise);
        await untilKept(promise.outboxId);
        expect(await system.tokensOf(old)).toEqual(isKept ? [kept] : []);
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
