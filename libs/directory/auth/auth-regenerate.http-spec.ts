import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '#platform/contracts';
import { untilReady } from '#platform/redis';
import {
  addAccount,
  requestOf,
  type AuthGateway,
  startAuthGateway,
  type TestAccount,
} from '#test/auth-gateway';
import { useDatabase, useFixture } from '#test/use-fixture';
import { signInErrors } from '#platform/contracts';

describe('regenerating an API key', () => {
  const stores = useDatabase();
  const one = useFixture(() => startAuthGateway(stores.database));
  const other = useFixture(() => startAuthGateway(stores.database));
  let account: TestAccount;

  const signIn = async (gateway: AuthGateway, apiKey = account.apiKey): Promise<Caller> => {
    const caller = await gateway.auth.authenticate(
      requestOf(account, { apiKey }),
      'user',
      () => undefined,
    );
    if (caller === null) throw new Error('The caller is not signed in');
    return caller;
  };

  const countLogouts = () =>
    stores.database.prisma.outboxEntry.count({
      where: { payload: { path: ['userId'], equals: account.userId } },
    });

  beforeEach(async () => {
    account = await addAccount(stores.database);
    await Promise.all([signIn(one), signIn(other)]);
  });

  it('makes every gateway reject the old key and accept the new one', async () => {
    const caller = await signIn(one);
    const apiKey = await one.apiKeys.regenerate(caller);
    await expect(signIn(other)).rejects.toMatchObject({ error: signInErrors.invalidApiKey });
    await expect(signIn(one)).rejects.toMatchObject({ error: signInErrors.invalidApiKey });
    expect(await signIn(other, apiKey)).toMatchObject({ keyGeneration: caller.keyGeneration + 1 });
    expect(await signIn(one, apiKey)).toMatchObject({ userId: account.userId });
  });

  it('adds the logout to the outbox and revokes the devices', async () => {
    await one.apiKeys.regenerate(await signIn(one));
    expect(await countLogouts()).toBe(1);
    expect(one.revoker.revoked.at(-1)).toMatchObject({ userId: account.userId, keyGeneration: 2 });
  });

  it('succeeds once for concurrent requests', async () => {
    const caller = await signIn(one);
    const results = await Promise.allSettled([
      one.apiKeys.regenerate(caller),
      other.apiKeys.regenerate(caller),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ error: signInErrors.invalidApiKey }),
    });
    expect(await countLogouts()).toBe(1);
  });

  it('makes no gateway accept the old key after it resolves', async () => {
    let isReplaced = false;
    const attempts: Promise<{ startedAfter: boolean; wasAccepted: boolean }>[] = [];
    const attempt = async (gateway: AuthGateway) => {
      const startedAfter = isReplaced;
      const wasAccepted = await signIn(gateway).then(
        () => true,
        () => false,
      );
      return { startedAfter, wasAccepted };
    };
    const regeneration = one.apiKeys.regenerate(await signIn(one)).then(() => {
      isReplaced = true;
    });
    let left = 100;
    while (left > 0) {
      attempts.push(attempt(one), attempt(other));
      if (isReplaced) left -= 1;
      await setImmediate();
    }
    await regeneration;
    const done = await Promise.all(attempts);
    expect(done.filter(({ startedAfter }) => startedAfter).length).toBeGreaterThanOrEqual(198);
    expect(done.filter(({ startedAfter, wasAccepted }) => startedAfter && wasAccepted)).toEqual([]);
  });

  describe('during an outage of Redis', () => {
    const close = () => Promise.all([one.proxy.close(), other.proxy.close()]);
    const reopen = async () => {
      await Promise.all([one.proxy.reopen(), other.proxy.reopen()]);
      await Promise.all([untilReady(one.redis, 5000), untilReady(other.redis, 5000)]);
    };

    it('signs in by PostgreSQL', async () => {
      await close();
      expect(await signIn(one)).toMatchObject({ userId: account.userId });
      await reopen();
    });

    it('works, also when Redis returns with its old data', async () => {
      const caller = await signIn(one);
      await close();
      const apiKey = await one.apiKeys.regenerate(caller);
      await expect(signIn(other)).rejects.toMatchObject({ error: signInErrors.invalidApiKey });
      expect(await signIn(other, apiKey)).toMatchObject({ userId: account.userId });
      await reopen();
      await expect(signIn(one)).rejects.toMatchObject({ error: signInErrors.invalidApiKey });
      await expect(signIn(other)).rejects.toMatchObject({ error: signInErrors.invalidApiKey });
    });

    it('invalidates cached keys that were not used during the outage', async () => {
      const caller = await signIn(one);
      await signIn(other);
      await close();
      await one.apiKeys.regenerate(caller);
      await reopen();
      await expect(signIn(other)).rejects.toMatchObject({ error: signInErrors.invalidApiKey });
    });
  });
});
