import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { generateApiKey } from '#directory/auth';
import { type LimitState, requestErrors, signInErrors } from '#platform/contracts';
import { addAccount, requestOf, startAuthGateway, type TestAccount } from '#test/auth-gateway';
import { useDatabase, useFixture } from '#test/use-fixture';

const noop = () => undefined;
const hearNothing = () => {
  throw new Error('Charged');
};

describe('the rate limits of signing in', () => {
  const stores = useDatabase();
  const limited = useFixture(() =>
    startAuthGateway(stores.database, {
      user: [{ seconds: 60, calls: 3 }],
      address: [{ seconds: 60, calls: 2 }],
      file: [{ seconds: 60, calls: 4 }],
    }),
  );
  let account: TestAccount;

  const charge = async (request = requestOf(account)): Promise<LimitState | undefined> => {
    let state: LimitState | undefined;
    await limited.auth
      .authenticate(request, 'user', (heard) => {
        state = heard;
      })
      .catch(() => undefined);
    return state;
  };

  beforeEach(async () => {
    account = await addAccount(stores.database);
  });

  it('charges the account, cached or not', async () => {
    expect(await charge()).toMatchObject({ limit: 3, remaining: 2 });
    expect(await charge()).toMatchObject({ limit: 3, remaining: 1 });
    expect(await charge()).toMatchObject({ limit: 3, remaining: 0 });
    await expect(limited.auth.authenticate(requestOf(account), 'user', noop)).rejects.toMatchObject(
      { error: requestErrors.rateLimited },
    );
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
