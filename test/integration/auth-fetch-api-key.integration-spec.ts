import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/test-stores.js';
import {
  addAccount,
  type Gateway,
  PASSWORD,
  startGateway,
  type TestAccount,
} from './auth.gateway.js';

describe('fetching an API key by password', () => {
  let stores: TestDatabase;
  let gateway: Gateway;
  let account: TestAccount;

  const subdomainOf = ({ host }: TestAccount) => host.replace('.chat.test', '');
  const fetch = (username = account.email, password = PASSWORD, of = account) =>
    gateway.fetch.execute(subdomainOf(of), username, password);

  beforeAll(async () => {
    stores = await createTestDatabase();
    gateway = await startGateway(stores.database, { 'sign-in': [{ seconds: 1800, calls: 5 }] });
  });

  afterAll(async () => {
    await gateway.close();
    await stores.drop();
  });

  beforeEach(async () => {
    account = await addAccount(stores.database);
  });

  it('gives the key to who knows the password', async () => {
    expect(await fetch(` ${account.email.toUpperCase()} `)).toEqual({
      userId: account.userId,
      deliveryEmail: account.email,
      apiKey: account.apiKey,
    });
  });

  it('gives a key that was regenerated', async () => {
    const caller = { ...(await callerOf(account)), keyGeneration: 1 };
    const apiKey = await gateway.regenerate.execute(caller);
    expect(await fetch()).toMatchObject({ apiKey });
  });

  it('gives nobody the key of another account, whose sealed key stands in the row', async () => {
    const other = await addAccount(stores.database);
    const { apiKeySealed } = await stores.database.prisma.user.findUniqueOrThrow({
      where: { id: other.userId },
    });
    await stores.database.prisma.user.update({
      where: { id: account.userId },
      data: { apiKeySealed },
    });
    await expect(fetch()).rejects.toMatchObject({ errorName: 'apiKeyUnavailable' });
    expect(await fetch(other.email, PASSWORD, other)).toMatchObject({ apiKey: other.apiKey });
  });

  it('does not tell a wrong password from a wrong name', async () => {
    const refusal = { errorName: 'wrongPassword' };
    await expect(fetch(account.email, 'wrong')).rejects.toMatchObject(refusal);
    await expect(fetch('nobody@chat.test')).rejects.toMatchObject(refusal);
  });

  it.each(['%', '%@chat.test', 'S_me_one%'])(
    'takes the name %j for no pattern',
    async (username) => {
      await expect(fetch(username)).rejects.toMatchObject({ errorName: 'wrongPassword' });
    },
  );

  it('gives a bot’s key to nobody', async () => {
    const bot = await addAccount(stores.database, { isBot: true });
    await expect(fetch(bot.email, PASSWORD, bot)).rejects.toMatchObject({
      errorName: 'wrongPassword',
    });
  });

  it('refuses an account or an organisation that is deactivated or unknown', async () => {
    const off = await addAccount(stores.database, { isActive: false });
    await expect(fetch(off.email, PASSWORD, off)).rejects.toMatchObject({
      errorName: 'userDeactivated',
    });
    const closed = await addAccount(stores.database, { deactivatedAt: new Date() });
    await expect(fetch(closed.email, PASSWORD, closed)).rejects.toMatchObject({
      errorName: 'signInRealmDeactivated',
    });
    for (const subdomain of ['nowhere', null]) {
      await expect(gateway.fetch.execute(subdomain, account.email, PASSWORD)).rejects.toMatchObject(
        { errorName: 'unknownSubdomain' },
      );
    }
  });

  it('refuses even the right password after too many wrong ones, however the name is written', async () => {
    const names = [account.email, account.email.toUpperCase(), ` ${account.email}`];
    for (const name of [...names, account.email, account.email]) {
      await expect(fetch(name, 'wrong')).rejects.toMatchObject({ errorName: 'wrongPassword' });
    }
    await expect(fetch()).rejects.toMatchObject({ errorName: 'rateLimited' });
  });

  it('puts nothing of a name that was typed into Redis', async () => {
    const name = `${'n'.repeat(200)}@nowhere.test`;
    gateway.wire.reset();
    await expect(fetch(name, 'wrong')).rejects.toMatchObject({ errorName: 'wrongPassword' });
    expect(gateway.wire.asked).toMatch(/rate:sign-in:1800:[\w-]{43}/);
    expect(gateway.wire.asked).not.toContain('nowhere.test');
  });

  it('forgets wrong tries after a right one', async () => {
    for (const password of ['wrong', 'wrong', 'wrong', PASSWORD, 'wrong', 'wrong', 'wrong']) {
      await fetch(account.email, password).catch(() => undefined);
    }
    expect(await fetch()).toMatchObject({ apiKey: account.apiKey });
  });

  const callerOf = async ({ email, apiKey, host }: TestAccount) => {
    const authorization = `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;
    const applicant = { authorization, host, address: host };
    const caller = await gateway.admission.admit(applicant, 'user', () => undefined);
    if (caller === null) throw new Error('Nobody is signed in');
    return caller;
  };
});
