import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuthVersionStore } from '#directory/auth';
import { UserRepository, type UsersService } from '#directory/users';
import { AccountAudience, VisibleUsersRepository } from '#directory/guest-access';
import { roles } from '#directory/roles';
import { type EventHead, EventLog, EventRepository } from '#events/log';
import type { Caller } from '#platform/contracts';
import { useConnection, useDatabase } from '#test/use-fixture';
import { optionsWith } from '#test/queue-options';
import type { PresenceSharing } from './presence-sharing.js';
import { SettingChanges } from './setting-changes.js';
import { SettingRepository } from './setting.repository.js';
import { SettingEvents } from './settings.events.js';
import { type SettingUpdate, defaultUserSettings } from './settings.rules.js';
import { SettingsService } from './settings.service.js';

const stores = useDatabase();
const database = useConnection(stores, { poolSize: 8 });
let sut: SettingsService;
let realmId: number;
let userId: number;
let log: string[];
let eventLog: EventRepository;
let events: SettingEvents;

const stored = () => database.prisma.user.findUniqueOrThrow({ where: { id: userId } });

const callerOf = (id: number): Caller => ({
  userId: id,
  deliveryEmail: 'alice@chat.test',
  role: roles.member,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 1000,
  keyGeneration: 1,
  realm: { id: realmId, subdomain: 'settings', isPresenceDisabled: false },
});

beforeAll(async () => {
  const realm = await database.prisma.realm.create({
    data: { subdomain: 'settings', name: 'Test' },
  });
  realmId = realm.id;
  const repository = new SettingRepository(database);
  eventLog = new EventRepository(database);
  const eventsOf = new EventLog(eventLog);
  const audience = new AccountAudience(new VisibleUsersRepository(database), eventsOf);
  events = new SettingEvents(repository, audience, eventsOf);
  sut = new SettingsService(
    database,
    {
      timezoneChanged: () => Promise.resolve(),
      rename: async (...[transaction, account, name]: Parameters<UsersService['rename']>) => {
        if (name === 'Refused') throw new Error('The name is refused');
        await new UserRepository(database).rename(transaction, account, name);
      },
      // SettingsService calls only these methods.
    } as unknown as UsersService,
    repository,
    {
      raiseAll: async (changed: readonly { version: number }[]) => {
        const { authVersion, isPresenceEnabled } = await stored();
        const raised = changed.map(({ version }) => version);
        if (raised.length > 0)
          log.push(`${authVersion} ${isPresenceEnabled}: raised to ${raised.join()}`);
      },
      // SettingsService calls only this method.
    } as unknown as AuthVersionStore,
    {
      publish: (_caller: Caller, isShared: boolean) => {
        log.push(isShared ? 'shown' : 'hidden');
        return Promise.resolve();
      },
      // SettingsService calls only this method.
    } as unknown as PresenceSharing,
    new SettingChanges(repository, events),
  );
});

beforeEach(async () => {
  log = [];
  const email = `${randomBytes(4).toString('hex')}@chat.test`;
  const apiKeyHash = new Uint8Array(randomBytes(32));
  const secrets = { apiKeyHash, apiKeySealed: new Uint8Array() };
  const names = { deliveryEmail: email, email, fullName: 'Alice', role: roles.member };
  ({ id: userId } = await database.prisma.user.create({ data: { realmId, ...names, ...secrets } }));
});

const change = (given: Parameters<SettingsService['change']>[2]) =>
  database.transaction((transaction) => sut.change(transaction, callerOf(userId), given));

describe('settingsOf', () => {
  it('has, for a new account, the defaults that the database also has', async () => {
    expect(await sut.settingsOf(userId)).toEqual({
      ...defaultUserSettings(),
      timezone: '',
      push_quiet_hours: [],
      push_quiet_hours_exceptions: [],
      push_vip_user_ids: [],
      push_snoozed_until: 0,
      push_notifications_delay_period_seconds: 0,
      push_notifications_reminder_period_seconds: 0,
    });
  });

  it('returns the visibility of an address that only administrators see', async () => {
    const email = `user${userId}@chat.test`;
    await database.prisma.user.update({ where: { id: userId }, data: { email } });
    expect(await sut.settingsOf(userId)).toMatchObject({ email_address_visibility: 3 });
  });

  it('sees the changes of its transaction', async () => {
    await database.transaction(async (transaction) => {
      await sut.change(transaction, callerOf(userId), { enter_sends: true });
      expect(await sut.settingsOf(userId, transaction)).toMatchObject({ enter_sends: true });
      expect(await sut.settingsOf(userId)).toMatchObject({ enter_sends: false });
    });
  });

  it('rejects for an unknown account', async () => {
    await expect(sut.settingsOf(2_000_000_000)).rejects.toThrow('There is no account');
  });
});

describe('change', () => {
  it('resolves with exactly the settings whose value is another now', async () => {
    expect(
      await change({ timezone: 'UTC', enter_sends: true, enable_sounds: true, color_scheme: 3 }),
    ).toEqual([
      { property: 'timezone', value: 'UTC' },
      { property: 'color_scheme', value: 3 },
      { property: 'enter_sends', value: true },
    ]);
    expect(await change({ timezone: 'UTC', enter_sends: true, color_scheme: 2 })).toEqual([
      { property: 'color_scheme', value: 2 },
    ]);
    expect(await sut.settingsOf(userId)).toMatchObject({
      timezone: 'UTC',
      enter_sends: true,
      enable_sounds: true,
      color_scheme: 2,
    });
  });

  it('keeps only members that differ from the default, and those of a newer release', async () => {
    const displaySettings = { brightness: 7, enter_sends: true };
    await database.prisma.user.update({ where: { id: userId }, data: { displaySettings } });
    await change({ enter_sends: false, twenty_four_hour_time: null });
    expect((await stored()).displaySettings).toEqual({
      brightness: 7,
      twenty_four_hour_time: null,
    });
  });

  it('reports each of concurrent changes once', async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, () => change({ starred_message_counts: false })),
    );
    expect(results.flat()).toEqual([{ property: 'starred_message_counts', value: false }]);
  });

  it('loses none of concurrent changes of several settings', async () => {
    const given = [
      { enter_sends: true },
      { color_scheme: 2 },
      { timezone: 'UTC' },
      { enable_sounds: false },
      { wildcard_mentions_notify: false },
    ];
    await Promise.all(given.map(change));
    expect(await sut.settingsOf(userId)).toMatchObject(Object.assign({}, ...given) as object);
  });

  it('rejects for an unknown account', async () => {
    const changed = database.transaction((transaction) =>
      sut.change(transaction, callerOf(2_000_000_000), { enter_sends: true }),
    );
    await expect(changed).rejects.toThrow('There is no account');
  });
});

describe('the events', () => {
  /** The events since another one, as the account gets them. */
  const eventsAfter = async (head: EventHead) => {
    const found = await eventLog.after(realmId, head, 100);
    return found.map(({ type, userIds, body }) => ({ type, userIds, ...body }));
  };
  const state = (...fetchTypes: string[]) =>
    database.snapshot((snapshot) =>
      events.readState({
        caller: callerOf(userId),
        snapshot,
        options: optionsWith(),
        presenceHistoryDays: 14,
        wants: (fetchType) => fetchTypes.includes(fetchType),
        wantsAll: false,
        share: ({ read }) => read(),
        readShared: ({ read }) => read(),
      }),
    );

  it('are sent to the account, and to nobody else, for each changed setting', async () => {
    const head = await eventLog.head(realmId);
    await change({ default_language: 'de', enable_sounds: false, emojiset: 'google' });
    const event = { type: 'user_settings', userIds: [userId], op: 'update' };
    expect(await eventsAfter(head)).toEqual([
      { ...event, property: 'default_language', value: 'de', language_name: 'Deutsch' },
      { ...event, property: 'enable_sounds', value: false },
    ]);
    await change({ default_language: 'de', enable_sounds: false });
    expect(await eventsAfter(head)).toHaveLength(2);
  });

  it('turn the state before a change into the state after it', async () => {
    const { user_settings: before } = await state('user_settings');
    const head = await eventLog.head(realmId);
    await Promise.all([
      change({ timezone: 'UTC', twenty_four_hour_time: null }),
      change({ presence_enabled: false, color_scheme: 2 }),
      change({ color_scheme: 3 }),
    ]);
    const changed = (await eventsAfter(head)).map((event) => {
      const { property, value } = event as unknown as SettingUpdate; // The body of the event.
      return [property, value] as const;
    });
    expect(changed.length).toBeGreaterThanOrEqual(4);
    const after = { ...before, ...Object.fromEntries(changed) };
    expect(await state('user_settings')).toEqual({ user_settings: after });
  });

  it('come with the state of the wanted fetch types only', async () => {
    expect(await state()).toEqual({});
    expect(await state('realm_user_settings_defaults')).toEqual({
      realm_user_settings_defaults: defaultUserSettings(),
    });
  });
});

describe('changeOwn', () => {
  it('raises the stored version before it publishes the sharing of presence', async () => {
    const { authVersion } = await stored();
    await sut.changeOwn(callerOf(userId), { settings: { presence_enabled: false } });
    const raised = authVersion + 1;
    expect(log).toEqual([`${raised} false: raised to ${raised}`, 'hidden']);
  });

  it('publishes nothing for other settings', async () => {
    await sut.changeOwn(callerOf(userId), { settings: { color_scheme: 2 } });
    expect(log).toEqual([]);
  });

  it('publishes the sharing of presence again for a repeated request', async () => {
    await change({ presence_enabled: false });
    // As if the gateway had ended after the commit.
    log = [];
    await sut.changeOwn(callerOf(userId), { settings: { presence_enabled: false } });
    expect(log).toEqual(['hidden']);
  });

  it('changes no settings if it cannot change the name', async () => {
    const before = await stored();
    const changed = sut.changeOwn(callerOf(userId), {
      fullName: 'Refused',
      settings: { enter_sends: true, presence_enabled: false },
    });
    await expect(changed).rejects.toThrow('The name is refused');
    expect(await stored()).toEqual(before);
    expect(log).toEqual([]);
  });

  it('changes no name if it cannot store the settings', async () => {
    const before = await stored();
    const changed = sut.changeOwn(callerOf(userId), {
      fullName: 'Bob',
      // PostgreSQL refuses the NUL. The endpoint refuses it earlier.
      settings: { timezone: 'a\0b' },
    });
    await expect(changed).rejects.toThrow('unsupported Unicode');
    expect(await stored()).toEqual(before);
    await sut.changeOwn(callerOf(userId), { fullName: 'Bob', settings: { timezone: 'UTC' } });
    expect(await stored()).toMatchObject({ fullName: 'Bob', timezone: 'UTC' });
  });
});
