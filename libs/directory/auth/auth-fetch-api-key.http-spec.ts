import { beforeEach, describe, expect, it } from '@jest/globals';
import { addAccount, PASSWORD, startAuthGateway, type TestAccount } from '#test/auth-gateway';
import { useDatabase, useFixture } from '#test/use-fixture';
import { requestErrors, signInErrors } from '#platform/contracts';

describe('fetching an API key by password', () => {
  const stores = useDatabase();
  const gateway = useFixture(() =>
    startAuthGateway(stores.database, { 'sign-in': [{ seconds: 1800, calls: 5 }] }),
  );
  let account: TestAccount;

  const subdomainOf = ({ host }: TestAccount) => host.replace('.chat.test', '');
  const fetch = (username = account.email, password = PASSWORD, of = account) =>
    gateway.signIn.fetch(subdomainOf(of), username, password);

  beforeEach(async () => {
    account = await addAccount(stores.database);
  });

  it('returns the key for the right password', async () => {
    expect(await fetch(` ${account.email.toUpperCase()} `)).toEqual({
      realmId: expect.any(Number),
      userId: account.userId,
      isFirst: false,
      deliveryEmail: account.email,
      apiKey: account.apiKey,
    });
  });

  it('returns a regenerated key', async () => {
    const caller = { ...(await callerOf(account)), keyGeneration: 1 };
    const apiKey = await gateway.apiKeys.regenerate(caller);
    expect(await fetch()).toMatchObject({ apiKey });
  });

  it('rejects a row with the sealed key of another account', async () => {
    const other = await addAccount(stores.database);
    const { apiKeySealed } = await stores.database.prisma.user.findUniqueOrThrow({
      where: { id: other.userId },
    });
    await stores.database.prisma.user.update({
      where: { id: account.userId },
      data: { apiKeySealed },
    });
    await expect(fetch()).rejects.toMatchObject({ error: signInErrors.apiKeyUnavailable });
    expect(await fetch(other.email, PASSWORD, other)).toMatchObject({ apiKey: other.apiKey });
  });

  it('answers a wrong password and a wrong name alike', async () => {
    const refusal = { error: signInErrors.wrongPassword };
    await expect(fetch(account.email, 'wrong')).rejects.toMatchObject(refusal);
    await expect(fetch('nobody@chat.test')).rejects.toMatchObject(refusal);
  });

  it.each(['%', '%@chat.test', 'S_me_one%'])(
    'takes the name %j for no pattern',
    async (username) => {
      await expect(fetch(username)).rejects.toMatchObject({ error: signInErrors.wrongPassword });
    },
  );

  it('never returns the key of a bot', async () => {
    const bot = await addAccount(stores.database, { isBot: true });
    await expect(fetch(bot.email, PASSWORD, bot)).rejects.toMatchObject({
      error: signInErrors.wrongPassword,
    });
  });

  it('rejects deactivated and unknown accounts and organisations', async () => {
    const off = await addAccount(stores.database, { isActive: false });
    await expect(fetch(off.email, PASSWORD, off)).rejects.toMatchObject({
      error: signInErrors.userDeactivated,
    });
    const closed = await addAccount(stores.database, { deactivatedAt: new Date() });
    await expect(fetch(closed.email, PASSWORD, closed)).rejects.toMatchObject({
      error: signInErrors.signInRealmDeactivated,
    });
    for (const subdomain of ['nowhere', null]) {
      await expect(gateway.signIn.fetch(subdomain, account.email, PASSWORD)).rejects.toMatchObject({
        error: signInErrors.unknownSubdomain,
      });
    }
  });

  it('rejects the right password after too many failures for any spelling of the name', async () => {
    const names = [account.email, account.email.toUpperCase(), ` ${account.email}`];
    for (const name of [...names, account.email, account.email]) {
      await expect(fetch(name, 'wrong')).rejects.toMatchObject({
        error: signInErrors.wrongPassword,
      });
    }
    await expect(fetch()).rejects.toMatchObject({ error: requestErrors.rateLimited });
  });

  it('stores no part of the typed name in Redis', async () => {
    const name = `${'n'.repeat(200)}@nowhere.test`;
    gateway.proxy.reset();
    await expect(fetch(name, 'wrong')).rejects.toMatchObject({ error: signInErrors.wrongPassword });
    expect(gateway.proxy.requests).toMatch(/rate:sign-in:1800:[\w-]{43}/);
    expect(gateway.proxy.requests).not.toContain('nowhere.test');
  });

  it('resets the failures after a success', async () => {
    for (const password of ['wrong', 'wrong', 'wrong', PASSWORD, 'wrong', 'wrong', 'wrong']) {
      await fetch(account.email, password).catch(() => undefined);
    }
    expect(await fetch()).toMatchObject({ apiKey: account.apiKey });
  });

  const callerOf = async ({ email, apiKey, host }: TestAccount) => {
    const authorization = `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;
    const authRequest = { authorization, host, address: host };
    const caller = await gateway.auth.authenticate(authRequest, 'user', () => undefined);
    if (caller === null) throw new Error('Nobody is signed in');
    return caller;
  };
});
