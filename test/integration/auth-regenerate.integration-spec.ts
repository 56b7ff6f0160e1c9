import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '#contracts';
import { untilReady } from '#redis';
import { createTestDatabase, type TestDatabase } from '../support/test-stores.js';
import {
  addAccount,
  applicantOf,
  type Gateway,
  startGateway,
  type TestAccount,
} from './auth.gateway.js';

describe('regenerating an API key', () => {
  let stores: TestDatabase;
  let one: Gateway;
  let other: Gateway;
  let account: TestAccount;

  const signIn = async (gateway: Gateway, apiKey = account.apiKey): Promise<Caller> => {
    const caller = await gateway.admission.admit(
      applicantOf(account, { apiKey }),
      'user',
      () => undefined,
    );
    if (caller === null) throw new Error('Nobody is signed in');
    return caller;
  };

  const promisedLogouts = () =>
    stores.database.prisma.outboxEntry.count({
      where: { payload: { path: ['userId'], equals: account.userId } },
    });

  beforeAll(async () => {
    stores = await createTestDatabase();
    [one, other] = await Promise.all([
      startGateway(stores.database),
      startGateway(stores.database),
    ]);
  });

  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await stores.drop();
  });

  beforeEach(async () => {
    account = await addAccount(stores.database);
    await Promise.all([signIn(one), signIn(other)]);
  });

  it('makes every gateway refuse the old key and take the new one', async () => {
    const caller = await signIn(one);
    const apiKey = await one.regenerate.execute(caller);
    await expect(signIn(other)).rejects.toMatchObject({ errorName: 'invalidApiKey' });
    await expect(signIn(one)).rejects.toMatchObject({ errorName: 'invalidApiKey' });
    expect(await signIn(other, apiKey)).toMatchObject({ keyGeneration: caller.keyGeneration + 1 });
    expect(await signIn(one, apiKey)).toMatchObject({ userId: account.userId });
  });

  it('promises the logout in the outbox and hurries it along', async () => {
    await one.regenerate.execute(await signIn(one));
    expect(await promisedLogouts()).toBe(1);
    expect(one.hurrier.hurried.at(-1)).toMatchObject({ userId: account.userId, keyGeneration: 2 });
  });

  it('tells the new key also when the logout cannot be hurried', async () => {
    one.hurrier.isAway = true;
    const apiKey = await one.regenerate.execute(await signIn(one));
    one.hurrier.isAway = false;
    expect(await signIn(other, apiKey)).toMatchObject({ userId: account.userId });
    expect(await promisedLogouts()).toBe(1);
  });

  it('happens once when it is asked for twice at the same time', async () => {
    const caller = await signIn(one);
    const results = await Promise.allSettled([
      one.regenerate.execute(caller),
      other.regenerate.execute(caller),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ errorName: 'invalidApiKey' }),
    });
    expect(await promisedLogouts()).toBe(1);
  });

  it('lets the old key in on no gateway from the moment that it resolves', async () => {
    let isReplaced = false;
    const attempts: Promise<{ startedAfter: boolean; wasLetIn: boolean }>[] = [];
    const attempt = async (gateway: Gateway) => {
      const startedAfter = isReplaced;
      const wasLetIn = await signIn(gateway).then(
        () => true,
        () => false,
      );
      return { startedAfter, wasLetIn };
    };
    const regeneration = one.regenerate.execute(await signIn(one)).then(() => {
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
    expect(done.filter(({ startedAfter, wasLetIn }) => startedAfter && wasLetIn)).toEqual([]);
  });

  describe('while Redis is away', () => {
    const cut = () => Promise.all([one.wire.sever(), other.wire.sever()]);
    const mend = async () => {
      await Promise.all([one.wire.mend(), other.wire.mend()]);
      await Promise.all([untilReady(one.redis, 5000), untilReady(other.redis, 5000)]);
    };

    it('signs in by the record', async () => {
      await cut();
      expect(await signIn(one)).toMatchObject({ userId: account.userId });
      await mend();
    });

    it('works all the same, also when Redis comes back as it was before', async () => {
      const caller = await signIn(one);
      await cut();
      const apiKey = await one.regenerate.execute(caller);
      await expect(signIn(other)).rejects.toMatchObject({ errorName: 'invalidApiKey' });
      expect(await signIn(other, apiKey)).toMatchObject({ userId: account.userId });
      await mend();
      await expect(signIn(one)).rejects.toMatchObject({ errorName: 'invalidApiKey' });
      await expect(signIn(other)).rejects.toMatchObject({ errorName: 'invalidApiKey' });
    });

    it('leaves no gateway a key that nobody tried meanwhile', async () => {
      const caller = await signIn(one);
      await signIn(other);
      await cut();
      await one.regenerate.execute(caller);
      await mend();
      await expect(signIn(other)).rejects.toMatchObject({ errorName: 'invalidApiKey' });
    });
  });
});
