import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type DynamicModule, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { DefaultSubscriptionsModule } from '#chat/channels';
import { API_KEY_SECRET, AuthVersionStore, DEVICE_REVOKER } from '#directory/auth';
import { subdomainOfHost } from '#directory/realms';
import { roles } from '#directory/roles';
import { SystemBots, UserAccess, UserRepository, UsersModule } from '#directory/users';
import type { Caller } from '#platform/contracts';
import { Database } from '#platform/database';
import { LimitsModule } from '#platform/rate-limits';
import { PubSub, REDIS } from '#platform/redis';
import { usualLimits } from '#test/limits';
import { useDatabase } from '#test/use-fixture';

const stores = useDatabase();

/** The global providers of the gateway that the users module needs. */
@Module({})
class GlobalProviders {
  static of(database: Database): DynamicModule {
    return {
      module: GlobalProviders,
      global: true,
      providers: [
        { provide: Database, useValue: database },
        { provide: API_KEY_SECRET, useValue: randomBytes(32) },
        { provide: AuthVersionStore, useValue: {} },
        { provide: DEVICE_REVOKER, useValue: {} },
        // They use no Redis.
        { provide: PubSub, useValue: { onMessage: () => undefined } },
        { provide: REDIS, useValue: null },
      ],
      exports: [Database, API_KEY_SECRET, AuthVersionStore, DEVICE_REVOKER, PubSub, REDIS],
    };
  }
}

/** Starts the users module as in one program, with its own caches. */
const startUsers = () =>
  Test.createTestingModule({
    imports: [
      GlobalProviders.of(stores.database),
      LimitsModule.with(usualLimits),
      DefaultSubscriptionsModule,
      UsersModule,
    ],
  }).compile();

const prisma = () => stores.database.prisma;

const addUser = async (
  realmId: number,
  traits: { role?: number; isBot?: boolean; isActive?: boolean } = {},
): Promise<number> => {
  const email = `${randomBytes(6).toString('hex')}@chat.test`;
  const { id } = await prisma().user.create({
    data: {
      realmId,
      email,
      deliveryEmail: email,
      fullName: 'Someone',
      role: roles.member,
      apiKeyHash: new Uint8Array(randomBytes(32)),
      apiKeySealed: new Uint8Array(),
      ...traits,
    },
  });
  return id;
};

const addRealm = async (): Promise<number> =>
  (
    await prisma().realm.create({
      data: { subdomain: randomBytes(6).toString('hex'), name: 'Chat' },
    })
  ).id;

const callerOf = (realmId: number, userId: number, role: number): Caller => ({
  userId,
  deliveryEmail: 'caller@chat.test',
  role,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 0,
  keyGeneration: 1,
  realm: { id: realmId, subdomain: '', isPresenceDisabled: false },
});

describe(SystemBots.name, () => {
  it('creates each bot once for concurrent requests of several programs', async () => {
    const programs = await Promise.all([startUsers(), startUsers(), startUsers()]);
    const asked = await Promise.all(
      programs.flatMap((program) => {
        const bots = program.get(SystemBots);
        return [bots.notificationBot(), bots.welcomeBot(), bots.notificationBot()];
      }),
    );
    const bots = [...new Map(asked.map((bot) => [bot.id, bot])).values()];
    expect(bots).toHaveLength(2);
    expect(bots).toContainEqual(
      expect.objectContaining({
        id: expect.any(Number),
        fullName: 'Notification Bot',
        email: 'notification-bot@system.invalid',
      }),
    );
    expect(bots).toContainEqual(
      expect.objectContaining({
        id: expect.any(Number),
        fullName: 'Welcome Bot',
        email: 'welcome-bot@system.invalid',
      }),
    );
    expect(await prisma().user.count({ where: { isSystemBot: true } })).toBe(2);
  });

  it('finds the bots of another program', async () => {
    const [one, other] = await Promise.all([startUsers(), startUsers()]);
    const bot = await one.get(SystemBots).welcomeBot();
    expect(await other.get(SystemBots).welcomeBot()).toEqual(bot);
  });

  it('creates bots without a password, in a realm without a host name', async () => {
    const bot = await (await startUsers()).get(SystemBots).notificationBot();
    const user = await prisma().user.findUniqueOrThrow({
      where: { id: bot.id },
      include: { realm: true },
    });
    expect(user).toMatchObject({
      isBot: true,
      isSystemBot: true,
      isActive: true,
      passwordHash: null,
    });
    const host = `${user.realm.subdomain}.chat.test`;
    expect(subdomainOfHost(host, new URL('https://chat.test'))).toBeNull();
  });

  it('creates bots that every organisation can find and none lists', async () => {
    const users = await startUsers();
    const realmId = await addRealm();
    const bot = await users.get(SystemBots).welcomeBot();
    expect(await users.get(UserRepository).find(realmId, bot.id)).toMatchObject({ id: bot.id });
    expect(await users.get(UserRepository).list(realmId, [bot.id])).toEqual([]);
  });
});

describe(`${UserAccess.name}.requireAdministrable`, () => {
  const administer = async (role: number, traits: Parameters<typeof addUser>[1] = {}) => {
    const realmId = await addRealm();
    const callerId = await addUser(realmId, { role });
    const userId = await addUser(realmId, traits);
    const sut = (await startUsers()).get(UserAccess);
    return { user: sut.requireAdministrable(callerOf(realmId, callerId, role), userId), userId };
  };

  it.each([
    [roles.administrator, { role: roles.member }],
    [roles.administrator, { role: roles.administrator }],
    [roles.owner, { role: roles.owner }],
  ])('allows the role %i to administer %j', async (role, traits) => {
    const { user, userId } = await administer(role, traits);
    expect(await user).toMatchObject({ id: userId, ...traits });
  });

  it.each([
    [roles.moderator, { role: roles.guest }, 'Insufficient permission'],
    [roles.member, { role: roles.member }, 'Insufficient permission'],
    [roles.administrator, { role: roles.owner }, 'Insufficient permission'],
    [roles.administrator, { isActive: false }, 'User is deactivated'],
    [roles.member, { isActive: false }, 'User is deactivated'],
    [roles.administrator, { isBot: true }, 'No such user'],
    [roles.administrator, { isBot: true, isActive: false }, 'No such user'],
    [roles.member, { isBot: true }, 'No such user'],
  ])('refuses the role %i for %j: %s', async (role, traits, text) => {
    await expect((await administer(role, traits)).user).rejects.toThrow(text);
  });

  it('finds neither accounts of another organisation nor system bots', async () => {
    const realmId = await addRealm();
    const callerId = await addUser(realmId, { role: roles.owner });
    const users = await startUsers();
    const sut = users.get(UserAccess);
    const caller = callerOf(realmId, callerId, roles.owner);
    const bot = await users.get(SystemBots).welcomeBot();
    for (const userId of [bot.id, await addUser(await addRealm()), 999_999]) {
      await expect(sut.requireAdministrable(caller, userId)).rejects.toThrow('No such user');
    }
  });
});
