import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type DynamicModule, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { DefaultSubscriptionsModule } from '#chat/channels';
import { API_KEY_SECRET, AuthVersionStore, DEVICE_REVOKER, EXTERNAL_URL } from '#directory/auth';
import { ProfileFieldsModule } from '#directory/profile-fields';
import { roles } from '#directory/roles';
import { UserState } from '#directory/users';
import type { QueueOptions } from '#events/declarations';
import { Database } from '#platform/database';
import { LimitsModule } from '#platform/rate-limits';
import { countStatements } from '#test/count-statements';
import { PubSub, REDIS } from '#platform/redis';
import { usualLimits } from '#test/limits';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { optionsWith } from '#test/queue-options';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { addGroup } from '#test/user-groups';

type Account = Readonly<Record<string, unknown>> & { readonly user_id: number };

/** The state in the form of its response. */
interface State {
  readonly realm_users: readonly Account[];
  readonly realm_non_active_users: readonly Account[];
  readonly cross_realm_bots: readonly Account[];
}

const system = useGateway();
let sut: UserState;
let organisation: Organisation;
let owner: Person;
let recorded: RecordedEvents;

/** The global providers of the gateway that the modules need. */
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
        { provide: EXTERNAL_URL, useValue: new URL('https://chat.test') },
      ],
      exports: [
        Database,
        API_KEY_SECRET,
        AuthVersionStore,
        DEVICE_REVOKER,
        EXTERNAL_URL,
        PubSub,
        REDIS,
      ],
    };
  }
}

beforeAll(async () => {
  const program = await Test.createTestingModule({
    imports: [
      GlobalProviders.of(system.database.database),
      LimitsModule.with(usualLimits),
      DefaultSubscriptionsModule,
      ProfileFieldsModule,
    ],
  }).compile();
  sut = program.get(UserState);
});

beforeEach(async () => {
  organisation = await addOrganisation(system);
  owner = await organisation.addPerson({ role: roles.owner });
  recorded = new RecordedEvents(system, organisation);
});

const prisma = () => system.database.database.prisma;
const without = ({ is_active: _isActive, ...account }: Account): object => account;

/** Asserts the type: the tests compare the members. */
const stateOf = async (
  reader: { readonly id: number; readonly role?: number },
  options: Partial<QueueOptions> = {},
): Promise<State> =>
  (await recorded.stateOf(sut, reader, options, ['realm_user'])) as unknown as State;

const membersOf = async (
  { api }: Person,
  parameters: { readonly client_gravatar?: boolean } = {},
): Promise<Account[]> => {
  const { body } = await api.get('/users', { include_custom_profile_fields: true, ...parameters });
  return body['members'] as Account[];
};

describe(UserState.name, () => {
  it('returns the accounts of GET /users, active and deactivated ones apart', async () => {
    const person = await organisation.addPerson();
    const gone = await organisation.addPerson({ isActive: false });
    const bot = await organisation.addPerson({ isBot: true });
    const members = await membersOf(person);
    const state = await stateOf(person);
    expect(state.realm_users).toEqual(
      members.filter(({ user_id }) => user_id !== gone.id).map(without),
    );
    expect(state.realm_non_active_users).toEqual(
      members.filter(({ user_id }) => user_id === gone.id).map(without),
    );
    expect(state.realm_users.map(({ user_id }) => user_id)).toEqual([owner.id, person.id, bot.id]);
  });

  it('returns the pictures to clients that do not compute them', async () => {
    const { realm_users } = await stateOf(owner, { clientGravatar: false });
    expect(realm_users).toEqual((await membersOf(owner, { client_gravatar: false })).map(without));
    expect(realm_users).toMatchObject([{ avatar_url: `/avatar/${owner.id}?version=1` }]);
  });

  it('returns the system bots, also before their first use', async () => {
    const { cross_realm_bots } = await stateOf(owner);
    expect(cross_realm_bots).toMatchObject([
      { full_name: 'Notification Bot', is_system_bot: true, is_active: true },
      { full_name: 'Welcome Bot', is_system_bot: true, is_active: true },
    ]);
  });

  it.each([
    ['owner', { is_owner: true, is_admin: true, is_moderator: true, is_guest: false }],
    ['moderator', { is_owner: false, is_admin: false, is_moderator: true, is_guest: false }],
    ['guest', { is_owner: false, is_admin: false, is_moderator: false, is_guest: true }],
  ] as const)('returns the own account: %s', async (role, flags) => {
    const { id, email } = await organisation.addPerson({ role: roles[role], fullName: 'Reader' });
    const canCreate = role !== 'guest';
    expect(await stateOf({ id, role: roles[role] })).toMatchObject({
      user_id: id,
      email,
      delivery_email: email,
      full_name: 'Reader',
      avatar_url: `/avatar/${id}?version=1`,
      avatar_url_medium: `/avatar/${id}/medium?version=1`,
      avatar_source: 'G',
      ...flags,
      can_create_public_streams: canCreate,
      can_create_private_streams: canCreate,
      can_create_web_public_streams: false,
      can_invite_others_to_realm: false,
    });
  });

  it('returns the bots of the account', async () => {
    const bot = await organisation.addPerson({ isBot: true });
    await organisation.addPerson({ isBot: true });
    await prisma().user.update({ where: { id: bot.id }, data: { botOwnerId: owner.id } });
    const realm_bots = [
      {
        user_id: bot.id,
        default_sending_stream: null,
        default_events_register_stream: null,
        default_all_public_streams: false,
        services: [],
      },
    ];
    expect(await recorded.stateOf(sut, owner, {}, ['realm_bot'])).toEqual({ realm_bots });
  });

  it('shows a limited guest substitutes, or nothing if the client can do without', async () => {
    const members = await addGroup(system, organisation, { members: [owner.id] });
    const limit = { canAccessAllUsersGroupId: members };
    await prisma().realm.update({ where: { id: organisation.id }, data: limit });
    const hidden = await organisation.addPerson({ isActive: false });
    const guest = await organisation.addPerson({ role: roles.guest });
    const reader = { id: guest.id, role: roles.guest };
    const { realm_users, realm_non_active_users } = await stateOf(reader);
    expect(realm_non_active_users).toEqual([]);
    const substitute = (user_id: number) => ({
      user_id,
      email: `user${user_id}@chat.test`,
      delivery_email: null,
      full_name: 'Unknown user',
      role: roles.member,
      is_bot: false,
      date_joined: '1970-01-01T00:00+00:00',
      avatar_url: null,
      profile_data: {},
    });
    expect(realm_users).toMatchObject([
      substitute(owner.id),
      substitute(hidden.id),
      { user_id: guest.id, email: guest.email },
    ]);
    expect(await stateOf(reader, optionsWith('user_list_incomplete'))).toMatchObject({
      realm_users: [{ user_id: guest.id }],
      realm_non_active_users: [],
    });
    const added = { op: 'add', substitute: { user_id: hidden.id, subdomain: '' } };
    const [type] = sut.types;
    expect(type?.formsOf?.(added, optionsWith())).toMatchObject([
      { op: 'add', person: { ...substitute(hidden.id), is_active: true } },
    ]);
    expect(type?.formsOf?.(added, optionsWith('user_list_incomplete'))).toEqual([]);
  });

  it('reads any number of accounts with the same statements', async () => {
    await stateOf(owner);
    const alone = await countStatements(() => stateOf(owner));
    await organisation.addPeople(5);
    expect(await countStatements(() => stateOf(owner))).toBe(alone);
    // Begin, the own account, accounts, values of profile fields, system bots, commit.
    expect(alone).toBe(6);
  });
});
