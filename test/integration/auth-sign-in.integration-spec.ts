import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { generateApiKey } from '#auth';
import { roles } from '#contracts';
import type { LimitState } from '#contracts';
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
      'charges nothing for what is free to %s',
      async (access) => {
        const applicant = applicantOf(account);
        for (let calls = 0; calls < 4; calls += 1) {
          await limited.admission.admit(applicant, access, hearNothing, true);
        }
        expect(await charge()).toMatchObject({ limit: 3, remaining: 2 });
      },
    );

    it('charges a failure where it is free, too', async () => {
      const stranger = applicantOf(account, { apiKey: generateApiKey() });
      let state: LimitState | undefined;
      const hear = (heard: LimitState) => {
        state = heard;
      };
      const failing = limited.admission.admit(stranger, 'user', hear, true);
      await expect(failing).rejects.toMatchObject({ errorName: 'invalidApiKey' });
      expect(state).toMatchObject({ limit: 2, remaining: 1 });
    });
  });
});
