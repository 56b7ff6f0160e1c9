import { Inject, Injectable } from '@nestjs/common';
import { EXTERNAL_URL } from '#directory/auth';
import { avatarUrl, mediumAvatarUrl } from '#directory/avatars';
import { isAdministrator, isGuest, roles } from '#directory/roles';
import {
  type CapabilityEvents,
  DeclaresEvents,
  type EventType,
  isCapable,
  type QueueOptions,
  type StateRequest,
} from '#events/declarations';
import type { Caller } from '#platform/contracts';
import { mapInSlices, realmHost } from '#platform/core';
import type { Session } from '#platform/database';
import { toOwnBot } from './own-bot.response.js';
import { PROFILE_DATA_READER, type ProfileDataReader } from './profile-data.js';
import { SystemBots } from './system-bots/system-bots.js';
import { UserAccess } from './user-access.js';
import { type User, UserRepository } from './user.repository.js';
import {
  toListedSubstitute,
  toListedUser,
  toUserResponse,
  visibleDeliveryEmail,
} from './user.response.js';

/** The part of a new account in the log for guests that cannot see it. */
interface Substitute {
  readonly user_id: number;
  readonly subdomain: string;
}

interface AccountQuery {
  /** Null for all accounts. */
  readonly visible: ReadonlySet<number> | null;
  readonly snapshot: Session;
  readonly options: QueueOptions;
}

/** The accounts of `POST /register`, and the forms of their events, which UserEvents adds. */
@Injectable()
@DeclaresEvents()
export class UserState implements CapabilityEvents {
  readonly types: readonly EventType[] = [
    { type: 'realm_user', formsOf: (body, options) => this.#formsOf(body, options) },
    { type: 'realm_bot' },
  ];
  readonly fetchTypes = ['realm_user', 'realm_bot'];

  constructor(
    private readonly users: UserRepository,
    private readonly access: UserAccess,
    private readonly systemBots: SystemBots,
    @Inject(PROFILE_DATA_READER) private readonly profiles: ProfileDataReader,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  async readState(request: StateRequest) {
    const { caller, snapshot, wants } = request;
    return {
      ...(wants('realm_user') && (await this.#readUsers(request))),
      ...(wants('realm_bot') && {
        realm_bots: (await this.users.botIdsOf(caller.userId, snapshot)).map(toOwnBot),
      }),
    };
  }

  async #readUsers({ caller, snapshot, options, share }: StateRequest) {
    const own = await this.users.find(caller.realm.id, caller.userId, snapshot);
    if (own === null) throw new Error(`There is no account ${caller.userId}`);
    const { clientGravatar } = options;
    const visible = await this.access.visibleIds(caller, snapshot);
    const read = () => this.#readLists(caller, { visible, snapshot, options });
    // Other accounts get the same lists, unless they contain an address that only the account itself may see.
    const isShared =
      visible === null && visibleDeliveryEmail({ ...caller, userId: 0 }, own) === own.deliveryEmail;
    const key = `accounts ${clientGravatar} ${isAdministrator(caller.role)}`;
    const lists = isShared
      ? await share({ key, changedBy: ['realm_user', 'custom_profile_fields'], read })
      : await read();
    const systemBots = await this.systemBots.list(snapshot);
    return {
      ...lists,
      cross_realm_bots: systemBots.map((bot) => toUserResponse(caller, bot, { clientGravatar })),
      ...ownAccountOf(own),
    };
  }

  async #readLists(caller: Caller, { visible, snapshot, options }: AccountQuery) {
    const { clientGravatar } = options;
    const users = await this.users.list(caller.realm.id, undefined, snapshot);
    const seen = visible === null ? users : users.filter(({ id }) => visible.has(id));
    const people = seen.filter(({ isBot }) => !isBot).map(({ id }) => id);
    const profileData = await this.profiles.profileDataOf(people, snapshot);
    const shown = { clientGravatar, profileData };
    const listed = async (isActive: boolean) =>
      mapInSlices(
        seen.filter((user) => user.isActive === isActive),
        (user) => toListedUser(caller, user, shown),
      );
    const hidden = isCapable(options, 'user_list_incomplete')
      ? []
      : users.filter(({ id }) => visible?.has(id) === false);
    const host = realmHost(this.externalUrl, caller.realm.subdomain);
    const toSubstitute = ({ id }: User) => toListedSubstitute(id, { host, clientGravatar });
    const substitutes = await mapInSlices(hidden, toSubstitute);
    return {
      realm_users: inOrderOfIds([...(await listed(true)), ...substitutes]),
      realm_non_active_users: await listed(false),
    };
  }

  #formsOf(
    body: Parameters<NonNullable<EventType['formsOf']>>[0],
    options: QueueOptions,
  ): readonly object[] {
    const { clientGravatar } = options;
    const { op, person, substitute } = body;
    if (op === 'remove') {
      const added = { op: 'add', substitute };
      return [{ op, person }, ...this.#formsOf(added, options)];
    }
    if (op !== 'add') return [body];
    if (substitute === undefined) {
      // UserEvents writes an object.
      return clientGravatar
        ? [{ op, person: { ...(person as object), avatar_url: null } }]
        : [body];
    }
    if (isCapable(options, 'user_list_incomplete')) return [];
    // UserEvents writes these members.
    const { user_id: userId, subdomain } = substitute as Substitute;
    const host = realmHost(this.externalUrl, subdomain);
    const listed = toListedSubstitute(userId, { host, clientGravatar });
    return [{ op, person: { ...listed, is_active: true } }];
  }
}

const inOrderOfIds = <Account extends { readonly user_id: number }>(accounts: Account[]) =>
  accounts.toSorted((left, right) => left.user_id - right.user_id);

const ownAccountOf = ({ id, email, deliveryEmail, fullName, role }: User) => ({
  user_id: id,
  email,
  delivery_email: deliveryEmail,
  full_name: fullName,
  avatar_url: avatarUrl(id),
  avatar_url_medium: mediumAvatarUrl(id),
  // `U` stands for an uploaded picture, which accounts cannot have.
  avatar_source: 'G',
  is_admin: isAdministrator(role),
  is_owner: role === roles.owner,
  is_moderator: role <= roles.moderator,
  is_guest: isGuest(role),
  can_create_public_streams: !isGuest(role),
  can_create_private_streams: !isGuest(role),
  // No channel is open to readers without an account, and there are no invitations.
  can_create_web_public_streams: false,
  can_invite_others_to_realm: false,
});
