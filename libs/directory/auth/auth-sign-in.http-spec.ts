import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthVersionStore, generateApiKey } from '#directory/auth';
import { administrators, members, roleErrors, roles } from '#directory/roles';
import { signInErrors } from '#platform/contracts';
import { defectCounts } from '#platform/core';
import { addAccount, requestOf, startAuthGateway, type TestAccount } from '#test/auth-gateway';
import { useDatabase, useFixture } from '#test/use-fixture';

const noop = () => undefined;

describe('signing in', () => {
  const stores = useDatabase();
  const sut = useFixture(() => startAuthGateway(stores.database));
  let account: TestAccount;

  const signIn = (request = requestOf(account)) => sut.auth.authenticate(request, 'user', noop);

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
      realm: { id: account.realmId, isPresenceDisabled: false },
    });
  });

  it('uses PostgreSQL and counts a failure when Redis holds an invalid version', async () => {
    const found = () => defectCounts().get(AuthVersionStore.name) ?? 0;
    const before = found();
    await sut.redis.hset(`auth:{u${account.userId}}:version`, 'not', 'a number');
    expect(await signIn()).toMatchObject({ userId: account.userId });
    expect(found()).toBeGreaterThan(before);
  });

  it('rejects a request without a header', async () => {
    const { host, address } = requestOf(account);
    await expect(signIn({ authorization: undefined, host, address })).rejects.toMatchObject({
      error: signInErrors.notLoggedIn,
    });
  });

  it('compares addresses case-insensitively, also for bots', async () => {
    const bot = await addAccount(stores.database, { isBot: true });
    expect(await signIn(requestOf(bot, { email: ` ${bot.email.toUpperCase()} ` }))).toMatchObject({
      userId: bot.userId,
      isBot: true,
    });
  });

  it('needs no store with a cached account', async () => {
    await signIn();
    await signIn();
    const query = jest.spyOn(stores.database, 'query');
    sut.proxy.reset();
    await signIn();
    expect(query).not.toHaveBeenCalled();
    query.mockRestore();
    // The gateway renews its lease from time to time.
    expect(sut.proxy.requests.replaceAll('auth:{leases}', '')).not.toMatch(/auth:|rate:/);
  });

  it('knows the caller of a cached account without a store', async () => {
    const { authorization, host } = requestOf(account);
    expect(sut.auth.known({ authorization, host })).toBeNull();
    await signIn();
    expect(sut.auth.known({ authorization, host })).toMatchObject({ userId: account.userId });
    expect(sut.auth.known({ authorization, host: 'else.test' })).toBeNull();
    expect(sut.auth.known({ authorization: undefined, host })).toBeNull();
    const mistaken = requestOf(account, { email: 'else@chat.test' }).authorization;
    await expect(signIn(requestOf(account, { email: 'else@chat.test' }))).rejects.toMatchObject({
      error: signInErrors.invalidApiKey,
    });
    expect(sut.auth.known({ authorization: mistaken, host })).toBeNull();
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
    await expect(signIn(requestOf(account, { apiKey: generateApiKey() }))).rejects.toMatchObject({
      error: signInErrors.invalidApiKey,
    });
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
    const other = await startAuthGateway(stores.database);
    const { authVersion } = await stores.database.prisma.user.update({
      where: { id: account.userId },
      data: { isActive: false, authVersion: { increment: 1 } },
    });
    await other.versions.raiseAll([{ userId: account.userId, version: authVersion }]);
    await expect(signIn()).rejects.toMatchObject({ error: signInErrors.accountDeactivated });
    await other.close();
  });

  it('uses PostgreSQL once after a reconnect to a Redis that has lost the version', async () => {
    await signIn();
    await sut.redis.del(`auth:{u${account.userId}}:version`);
    await sut.reconnect();
    const query = jest.spyOn(stores.database, 'query');
    expect(await signIn()).toMatchObject({ userId: account.userId });
    expect(await signIn()).toMatchObject({ userId: account.userId });
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });

  it.each([
    ['guest', roles.guest, members, roleErrors.notAllowedForGuests],
    ['member', roles.member, administrators, roleErrors.mustBeAdministrator],
    ['moderator', roles.moderator, administrators, roleErrors.mustBeAdministrator],
  ] as const)('refuses a %s what is not for its role', async (_name, role, access, error) => {
    const request = requestOf(await addAccount(stores.database, { role }));
    const signingIn = sut.auth.authenticate(request, access, noop);
    await expect(signingIn).rejects.toMatchObject({ error });
  });

  it.each([
    ['guest', roles.guest, 'user'],
    ['member', roles.member, members],
    ['administrator', roles.administrator, administrators],
    ['owner', roles.owner, administrators],
  ] as const)('lets a %s do what is for its role', async (_name, role, access) => {
    const request = requestOf(await addAccount(stores.database, { role }));
    expect(await sut.auth.authenticate(request, access, noop)).toMatchObject({ role });
  });
});
