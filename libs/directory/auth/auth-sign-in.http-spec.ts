import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthVersionStore, generateApiKey } from '#directory/auth';
import {
  type LimitState,
  roles,
  requestErrors,
  roleErrors,
  signInErrors,
} from '#platform/contracts';
import { defectCounts } from '#platform/core';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import {
  addAccount,
  requestOf,
  type Gateway,
  startGateway,
  type TestAccount,
} from '#test/auth-gateway';

const noop = () => undefined;
const hearNothing = () => {
  throw new Error('Charged');
};

describe('signing in', () => {
  let stores: TestDatabase;
  let sut: Gateway;
  let account: TestAccount;

  const signIn = (request = requestOf(account)) => sut.auth.authenticate(request, 'user', noop);

  beforeAll(async () => {
    stores = await createTestDatabase();
    sut = await startGateway(stores.database);
  });

  afterAll(async () => {
    await sut.close();
    await stores.drop();
  });

  beforeEach(async () => {
    account = await addAccount(stores.database);
  });

  it('finds the account of a key', async () => {
    expect(await signIn()).toMatchObject({
      userId: account.userId,
      deliveryEmail: account.email,
      role: roles.member,
      isBot: false,
      keyGeneration: 1,
      realm: { id: account.realmId, name: 'Chat', isPresenceDisabled: false },
    });
  });

  it('uses PostgreSQL and counts a failure when Redis holds an invalid version', async () => {
    const found = () => defectCounts().get(AuthVersionStore.name) ?? 0;
    const before = found();
    await sut.redis.hset(`auth:{u${account.userId}}:version`, 'not', 'a number');
    expect(await signIn()).toMatchObject({ userId: account.userId });
    expect(found()).toBeGreaterThan(before);
  });

  it('compares addresses case-insensitively, also for bots', async () => {
    const bot = await addAccount(stores.database, { isBot: true });
    expect(await signIn(requestOf(bot, { email: ` ${bot.email.toUpperCase()} ` }))).toMatchObject({
      userId: bot.userId,
      isBot: true,
    });
  });

  it('needs no statement and one round trip to Redis with a cached account', async () => {
    await signIn();
    await signIn();
    const query = jest.spyOn(stores.database, 'query');
    sut.proxy.reset();
    await signIn();
    expect(query).not.toHaveBeenCalled();
    query.mockRestore();
    expect(sut.proxy.roundTrips).toBe(1);
    expect(sut.proxy.requests.match(/\r\nmget\r\n/gi)).toHaveLength(1);
    expect(sut.proxy.requests.match(/\r\nevalsha\r\n/gi)).toHaveLength(1);
  });

  it('needs one statement without a cached account', async () => {
    const query = jest.spyOn(stores.database, 'query');
    await signIn();
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });

  it('rejects an unknown key and a wrong address, cached or not', async () => {
    const refusal = { message: 'Invalid API key' };
    await expect(signIn(requestOf(account, { apiKey: generateApiKey() }))).rejects.toMatchObject(
      refusal,
    );
    const mistaken = requestOf(account, { email: 'else@chat.test' });
    await expect(signIn(mistaken)).rejects.toMatchObject(refusal);
    await signIn();
    await expect(signIn(mistaken)).rejects.toMatchObject(refusal);
  });

  it('caches an unknown key for some seconds, for every address', async () => {
    const apiKey = generateApiKey();
    const query = jest.spyOn(stores.database, 'query');
    for (const email of ['one@chat.test', 'two@chat.test', 'three@chat.test']) {
      await expect(signIn(requestOf(account, { apiKey, email }))).rejects.toMatchObject({
        error: signInErrors.invalidApiKey,
      });
    }
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });

  it('accepts the key of a new account and a regenerated key at once', async () => {
    await expect(signIn(requestOf(account, { apiKey: generateApiKey() }))).rejects.toBeDefined();
    const added = await addAccount(stores.database);
    const caller = await signIn(requestOf(added));
    if (caller === null) throw new Error('The caller is not signed in');
    const apiKey = await sut.apiKeys.regenerate(caller);
    await expect(signIn(requestOf(added))).rejects.toMatchObject({
      error: signInErrors.invalidApiKey,
    });
    expect(await signIn(requestOf(added, { apiKey }))).toMatchObject({ keyGeneration: 2 });
  });

  it('rejects an account of another organisation', async () => {
    for (const host of ['chat.test', 'other.chat.test', 'else.test']) {
      await expect(signIn(requestOf(account, { host }))).rejects.toMatchObject({
        error: signInErrors.wrongSubdomain,
      });
    }
  });

  it('rejects deactivated organisations first, then deactivated accounts', async () => {
    const off = await addAccount(stores.database, { isActive: false });
    await expect(signIn(requestOf(off))).rejects.toMatchObject({
      error: signInErrors.accountDeactivated,
    });
    const closed = await addAccount(stores.database, {
      isActive: false,
      deactivatedAt: new Date(),
    });
    await expect(signIn(requestOf(closed, { host: 'chat.test' }))).rejects.toMatchObject({
      error: signInErrors.realmDeactivated,
    });
  });

  it('rejects a cached account after its version was raised', async () => {
    await signIn();
    const other = await startGateway(stores.database);
    await stores.database.prisma.user.update({
      where: { id: account.userId },
      data: { isActive: false, authVersion: { increment: 1 } },
    });
    await other.versions.publish(account.userId);
    await expect(signIn()).rejects.toMatchObject({ error: signInErrors.accountDeactivated });
    await other.close();
  });

  it('uses PostgreSQL when Redis has lost the version', async () => {
    await signIn();
    await sut.redis.del(`auth:{u${account.userId}}:version`);
    const query = jest.spyOn(stores.database, 'query');
    expect(await signIn()).toMatchObject({ userId: account.userId });
    expect(await signIn()).toMatchObject({ userId: account.userId });
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });

  it.each([
    ['guest', roles.guest, 'member', roleErrors.notAllowedForGuests],
    ['member', roles.member, 'administrator', roleErrors.mustBeAdministrator],
    ['moderator', roles.moderator, 'administrator', roleErrors.mustBeAdministrator],
  ] as const)('refuses a %s what is not for its role', async (_name, role, access, error) => {
    const request = requestOf(await addAccount(stores.database, { role }));
    const signingIn = sut.auth.authenticate(request, access, noop);
    await expect(signingIn).rejects.toMatchObject({ error });
  });

  it.each([
    ['guest', roles.guest, 'user'],
    ['member', roles.member, 'member'],
    ['administrator', roles.administrator, 'administrator'],
    ['owner', roles.owner, 'administrator'],
  ] as const)('lets a %s do what is for its role', async (_name, role, access) => {
    const request = requestOf(await addAccount(stores.database, { role }));
    expect(await sut.auth.authenticate(request, access, noop)).toMatchObject({ role });
  });

  describe('rate limits', () => {
    let limited: Gateway;

    const charge = async (request = requestOf(account)): Promise<LimitState | undefined> => {
      let state: LimitState | undefined;
      await limited.auth
        .authenticate(request, 'user', (heard) => {
          state = heard;
        })
        .catch(() => undefined);
      return state;
    };

    beforeAll(async () => {
      limited = await startGateway(stores.database, {
        user: [{ seconds: 60, calls: 3 }],
        address: [{ seconds: 60, calls: 2 }],
        file: [{ seconds: 60, calls: 4 }],
      });
    });

    afterAll(() => limited.close());

    it('charges the account, cached or not', async () => {
      expect(await charge()).toMatchObject({ limit: 3, remaining: 2 });
      expect(await charge()).toMatchObject({ limit: 3, remaining: 1 });
      expect(await charge()).toMatchObject({ limit: 3, remaining: 0 });
      await expect(
        limited.auth.authenticate(requestOf(account), 'user', noop),
      ).rejects.toMatchObject({ error: requestErrors.rateLimited });
    });

    it('charges a failure to the address and not to the account', async () => {
      await charge();
      const stranger = requestOf(account, { email: 'else@chat.test' });
      expect(await charge(stranger)).toMatchObject({ limit: 2, remaining: 1 });
      expect(await charge()).toMatchObject({ limit: 3, remaining: 1 });
    });

    it('rejects an address after too many failures', async () => {
      const stranger = requestOf(account, { apiKey: generateApiKey() });
      await charge(stranger);
      await charge(stranger);
      await expect(limited.auth.authenticate(stranger, 'user', noop)).rejects.toMatchObject({
        error: requestErrors.rateLimited,
      });
    });

    it('charges the address for endpoints without sign-in', async () => {
      let state: LimitState | undefined;
      const hear = (heard: LimitState) => {
        state = heard;
      };
      expect(await limited.auth.authenticate(requestOf(account), 'anyone', hear)).toBeNull();
      expect(state).toMatchObject({ limit: 2, remaining: 1 });
    });

    it.each(['user', 'anyone'] as const)(
      'charges files apart, and shows it only when they are refused: %s',
      async (access) => {
        const request = requestOf(account);
        for (let calls = 0; calls < 4; calls += 1) {
          await limited.auth.authenticate(request, access, hearNothing, 'file');
        }
        const state = new Promise((resolve) => {
          limited.auth.authenticate(request, access, resolve, 'file').catch(() => undefined);
        });
        expect(await state).toMatchObject({ limit: 4, remaining: 0 });
        const refused = limited.auth.authenticate(request, access, noop, 'file');
        await expect(refused).rejects.toMatchObject({ error: requestErrors.rateLimited });
        expect(await charge()).toMatchObject({ limit: 3, remaining: 2 });
      },
    );

    it('charges a failed request for a file to the address', async () => {
      const stranger = requestOf(account, { apiKey: generateApiKey() });
      let state: LimitState | undefined;
      const hear = (heard: LimitState) => {
        state = heard;
      };
      const failing = limited.auth.authenticate(stranger, 'user', hear, 'file');
      await expect(failing).rejects.toMatchObject({ error: signInErrors.invalidApiKey });
      expect(state).toMatchObject({ limit: 2, remaining: 1 });
    });

    it('counts an IPv6 network as one address', async () => {
      const network = `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}`;
      const from = (host: string) =>
        charge(requestOf(account, { apiKey: generateApiKey(), address: `${network}${host}` }));
      expect(await from('::1')).toMatchObject({ limit: 2, remaining: 1 });
      expect(await from(':ffff:1:2:3')).toMatchObject({ limit: 2, remaining: 0 });
    });

    describe('beyond the limit of an address', () => {
      const address = randomUUID();
      const made = () => requestOf(account, { apiKey: generateApiKey(), address });

      beforeAll(async () => {
        account = await addAccount(stores.database);
        for (let calls = 0; calls < 2; calls += 1) await charge(made());
      });

      it('accepts a valid key without a cached account', async () => {
        const request = requestOf(account, { address });
        expect(await limited.auth.authenticate(request, 'user', noop)).toMatchObject({
          userId: account.userId,
        });
      });

      it('accepts a regenerated key at once', async () => {
        const request = requestOf(account, { address });
        const caller = await limited.auth.authenticate(request, 'user', noop);
        if (caller === null) throw new Error('The caller is not signed in');
        const apiKey = await limited.apiKeys.regenerate(caller);
        const renewed = requestOf(account, { address, apiKey });
        expect(await limited.auth.authenticate(renewed, 'user', noop)).toMatchObject({
          keyGeneration: 2,
        });
      });

      it('looks up few invented keys and rejects the others as rate limited', async () => {
        const query = jest.spyOn(stores.database, 'query');
        for (let calls = 0; calls < 100; calls += 1) {
          await expect(limited.auth.authenticate(made(), 'user', noop)).rejects.toMatchObject({
            error: requestErrors.rateLimited,
          });
        }
        expect(query.mock.calls.length).toBeLessThanOrEqual(20);
        query.mockRestore();
      });

      it('accepts a known key', async () => {
        const known = requestOf(account, { address: randomUUID() });
        await limited.auth.authenticate(known, 'user', noop);
        await limited.redis.del(`auth:{u${account.userId}}:version`);
        for (let calls = 0; calls < 30; calls += 1) await charge(made());
        const here = requestOf(account, { address });
        expect(await limited.auth.authenticate(here, 'user', noop)).toMatchObject({
          userId: account.userId,
        });
      });
    });
  });
});
