import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthVersionStore, generateApiKey } from '#auth';
import { roles } from '#contracts';
import type { LimitState } from '#contracts';
import { defectCounts } from '#core';
import { createTestDatabase, type TestDatabase } from '../support/test-stores.js';
import {
  addAccount,
  applicantOf,
  type Gateway,
  startGateway,
  type TestAccount,
} from './auth.gateway.js';

const unheard = () => undefined;
const hearNothing = () => {
  throw new Error('Charged');
};

describe('signing in', () => {
  let stores: TestDatabase;
  let sut: Gateway;
  let account: TestAccount;

  const admit = (applicant = applicantOf(account)) =>
    sut.admission.admit(applicant, 'user', unheard);

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
    expect(await admit()).toMatchObject({
      userId: account.userId,
      deliveryEmail: account.email,
      role: roles.member,
      isBot: false,
      keyGeneration: 1,
      realm: { id: account.realmId, name: 'Chat', isPresenceDisabled: false },
    });
  });

  it('goes by the record when Redis has nonsense in the place of a version, and counts that', async () => {
    const found = () => defectCounts().get(AuthVersionStore.name) ?? 0;
    const before = found();
    await sut.redis.hset(`auth:{u${account.userId}}:version`, 'not', 'a number');
    expect(await admit()).toMatchObject({ userId: account.userId });
    expect(found()).toBeGreaterThan(before);
  });

  it('knows an address whatever its case, and for a bot too', async () => {
    const bot = await addAccount(stores.database, { isBot: true });
    expect(await admit(applicantOf(bot, { email: ` ${bot.email.toUpperCase()} ` }))).toMatchObject({
      userId: bot.userId,
      isBot: true,
    });
  });

  it('costs no statement and one round trip to Redis once it is warm', async () => {
    await admit();
    await admit();
    const query = jest.spyOn(stores.database, 'query');
    sut.wire.reset();
    await admit();
    expect(query).not.toHaveBeenCalled();
    query.mockRestore();
    expect(sut.wire.roundTrips).toBe(1);
    expect(sut.wire.asked.match(/\r\nmget\r\n/gi)).toHaveLength(1);
    expect(sut.wire.asked.match(/\r\nevalsha\r\n/gi)).toHaveLength(1);
  });

  it('costs one statement when it is cold', async () => {
    const query = jest.spyOn(stores.database, 'query');
    await admit();
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });

  it('refuses a key of nobody, and a key under another address, warm or cold', async () => {
    const refusal = { message: 'Invalid API key' };
    await expect(admit(applicantOf(account, { apiKey: generateApiKey() }))).rejects.toMatchObject(
      refusal,
    );
    const mistaken = applicantOf(account, { email: 'else@chat.test' });
    await expect(admit(mistaken)).rejects.toMatchObject(refusal);
    await admit();
    await expect(admit(mistaken)).rejects.toMatchObject(refusal);
  });

  it('looks up a key of nobody once in a while, whatever address it comes with', async () => {
    const apiKey = generateApiKey();
    const query = jest.spyOn(stores.database, 'query');
    for (const email of ['one@chat.test', 'two@chat.test', 'three@chat.test']) {
      await expect(admit(applicantOf(account, { apiKey, email }))).rejects.toMatchObject({
        errorName: 'invalidApiKey',
      });
    }
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });

  it('knows the key of a new account, and one that was regenerated, at once', async () => {
    await expect(admit(applicantOf(account, { apiKey: generateApiKey() }))).rejects.toBeDefined();
    const added = await addAccount(stores.database);
    const caller = await admit(applicantOf(added));
    if (caller === null) throw new Error('Nobody is signed in');
    const apiKey = await sut.regenerate.execute(caller);
    await expect(admit(applicantOf(added))).rejects.toMatchObject({ errorName: 'invalidApiKey' });
    expect(await admit(applicantOf(added, { apiKey }))).toMatchObject({ keyGeneration: 2 });
  });

  it('refuses the account of another host', async () => {
    for (const host of ['chat.test', 'other.chat.test', 'else.test']) {
      await expect(admit(applicantOf(account, { host }))).rejects.toMatchObject({
        errorName: 'wrongSubdomain',
      });
    }
  });

  it('refuses an account that is deactivated, and says first if its organisation is', async () => {
    const off = await addAccount(stores.database, { isActive: false });
    await expect(admit(applicantOf(off))).rejects.toMatchObject({
      errorName: 'accountDeactivated',
    });
    const closed = await addAccount(stores.database, {
      isActive: false,
      deactivatedAt: new Date(),
    });
    await expect(admit(applicantOf(closed, { host: 'chat.test' }))).rejects.toMatchObject({
      errorName: 'realmDeactivated',
    });
  });

  it('refuses a warm account once its new version is told', async () => {
    await admit();
    const other = await startGateway(stores.database);
    await stores.database.prisma.user.update({
      where: { id: account.userId },
      data: { isActive: false, authVersion: { increment: 1 } },
    });
    await other.versions.publish(account.userId);
    await expect(admit()).rejects.toMatchObject({ errorName: 'accountDeactivated' });
    await other.close();
  });

  it('goes by the record when Redis has forgotten', async () => {
    await admit();
    await sut.redis.del(`auth:{u${account.userId}}:version`);
    const query = jest.spyOn(stores.database, 'query');
    expect(await admit()).toMatchObject({ userId: account.userId });
    expect(await admit()).toMatchObject({ userId: account.userId });
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });

  it.each([
    ['guest', roles.guest, 'member', 'notAllowedForGuests'],
    ['member', roles.member, 'administrator', 'mustBeAdministrator'],
    ['moderator', roles.moderator, 'administrator', 'mustBeAdministrator'],
  ] as const)('refuses a %s what is not for its role', async (_name, role, access, errorName) => {
    const applicant = applicantOf(await addAccount(stores.database, { role }));
    await expect(sut.admission.admit(applicant, access, unheard)).rejects.toMatchObject({
      errorName,
    });
  });

  it.each([
    ['guest', roles.guest, 'user'],
    ['member', roles.member, 'member'],
    ['administrator', roles.administrator, 'administrator'],
    ['owner', roles.owner, 'administrator'],
  ] as const)('lets a %s do what is for its role', async (_name, role, access) => {
    const applicant = applicantOf(await addAccount(stores.database, { role }));
    expect(await sut.admission.admit(applicant, access, unheard)).toMatchObject({ role });
  });

  describe('and its limits', () => {
    let limited: Gateway;

    const charge = async (applicant = applicantOf(account)): Promise<LimitState | undefined> => {
      let state: LimitState | undefined;
      await limited.admission
        .admit(applicant, 'user', (heard) => {
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

    it('charges the account, cold or warm', async () => {
      expect(await charge()).toMatchObject({ limit: 3, remaining: 2 });
      expect(await charge()).toMatchObject({ limit: 3, remaining: 1 });
      expect(await charge()).toMatchObject({ limit: 3, remaining: 0 });
      await expect(
        limited.admission.admit(applicantOf(account), 'user', unheard),
      ).rejects.toMatchObject({ errorName: 'rateLimited' });
    });

    it('charges a failure to the address and not to the account', async () => {
      await charge();
      const stranger = applicantOf(account, { email: 'else@chat.test' });
      expect(await charge(stranger)).toMatchObject({ limit: 2, remaining: 1 });
      expect(await charge()).toMatchObject({ limit: 3, remaining: 1 });
    });

    it('refuses further tries of an address that has failed too often', async () => {
      const stranger = applicantOf(account, { apiKey: generateApiKey() });
      await charge(stranger);
      await charge(stranger);
      await expect(limited.admission.admit(stranger, 'user', unheard)).rejects.toMatchObject({
        errorName: 'rateLimited',
      });
    });

    it('charges the address where no sign-in is asked for', async () => {
      let state: LimitState | undefined;
      const hear = (heard: LimitState) => {
        state = heard;
      };
      expect(await limited.admission.admit(applicantOf(account), 'anyone', hear)).toBeNull();
      expect(state).toMatchObject({ limit: 2, remaining: 1 });
    });

    it.each(['user', 'anyone'] as const)(
      'charges files apart, and shows it only when they are refused: %s',
      async (access) => {
        const applicant = applicantOf(account);
        for (let calls = 0; calls < 4; calls += 1) {
          await limited.admission.admit(applicant, access, hearNothing, true);
        }
        const state = new Promise((resolve) => {
          limited.admission.admit(applicant, access, resolve, true).catch(() => undefined);
        });
        expect(await state).toMatchObject({ limit: 4, remaining: 0 });
        await expect(
          limited.admission.admit(applicant, access, unheard, true),
        ).rejects.toMatchObject({ errorName: 'rateLimited' });
        expect(await charge()).toMatchObject({ limit: 3, remaining: 2 });
      },
    );

    it('charges a failure at a file, too', async () => {
      const stranger = applicantOf(account, { apiKey: generateApiKey() });
      let state: LimitState | undefined;
      const hear = (heard: LimitState) => {
        state = heard;
      };
      const failing = limited.admission.admit(stranger, 'user', hear, true);
      await expect(failing).rejects.toMatchObject({ errorName: 'invalidApiKey' });
      expect(state).toMatchObject({ limit: 2, remaining: 1 });
    });

    it('counts an IPv6 network as one address', async () => {
      const network = `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}`;
      const from = (host: string) =>
        charge(applicantOf(account, { apiKey: generateApiKey(), address: `${network}${host}` }));
      expect(await from('::1')).toMatchObject({ limit: 2, remaining: 1 });
      expect(await from(':ffff:1:2:3')).toMatchObject({ limit: 2, remaining: 0 });
    });

    describe('beyond the limit of an address', () => {
      const address = randomUUID();
      const made = () => applicantOf(account, { apiKey: generateApiKey(), address });

      beforeAll(async () => {
        account = await addAccount(stores.database);
        for (let calls = 0; calls < 2; calls += 1) await charge(made());
      });

      it('lets in a key that was never seen to work here', async () => {
        const applicant = applicantOf(account, { address });
        expect(await limited.admission.admit(applicant, 'user', unheard)).toMatchObject({
          userId: account.userId,
        });
      });

      it('lets in the new key of an account at once', async () => {
        const applicant = applicantOf(account, { address });
        const caller = await limited.admission.admit(applicant, 'user', unheard);
        if (caller === null) throw new Error('Nobody is signed in');
        const apiKey = await limited.regenerate.execute(caller);
        const renewed = applicantOf(account, { address, apiKey });
        expect(await limited.admission.admit(renewed, 'user', unheard)).toMatchObject({
          keyGeneration: 2,
        });
      });

      it('looks up few keys that are made up, and refuses the others for their number', async () => {
        const query = jest.spyOn(stores.database, 'query');
        for (let calls = 0; calls < 100; calls += 1) {
          await expect(limited.admission.admit(made(), 'user', unheard)).rejects.toMatchObject({
            errorName: 'rateLimited',
          });
        }
        expect(query.mock.calls.length).toBeLessThanOrEqual(20);
        query.mockRestore();
      });

      it('still lets in whom it has seen before', async () => {
        const known = applicantOf(account, { address: randomUUID() });
        await limited.admission.admit(known, 'user', unheard);
        await limited.redis.del(`auth:{u${account.userId}}:version`);
        for (let calls = 0; calls < 30; calls += 1) await charge(made());
        const here = applicantOf(account, { address });
        expect(await limited.admission.admit(here, 'user', unheard)).toMatchObject({
          userId: account.userId,
        });
      });
    });
  });
});
