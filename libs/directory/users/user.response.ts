import { AVATAR_VERSION, avatarUrl } from '#directory/avatars';
import { substituteIdentity } from '#directory/guest-access';
import { isAdministrator, isGuest, roles } from '#directory/roles';
import type { Caller } from '#platform/contracts';
import { type ProfileData } from './profile-data.js';
import { type User } from './user.repository.js';

/** The only type of bot: a bot that uses the API like a person. */
const GENERIC_BOT = 1;

/**
 * The sign-in address of an account. Null for callers that cannot see it: it is visible to administrators and to the
 * account itself, and to all users if it equals the visible address.
 */
export const visibleDeliveryEmail = (
  caller: Pick<Caller, 'userId' | 'role'>,
  { id, email, deliveryEmail }: Pick<User, 'id' | 'email' | 'deliveryEmail'>,
): string | null =>
  id === caller.userId || isAdministrator(caller.role) || email === deliveryEmail
    ? deliveryEmail
    : null;

interface UserResponseOptions {
  /** Whether the client computes the pictures itself. */
  readonly clientGravatar: boolean;
  /** Profile data by account id, if requested. */
  readonly profileData?: ReadonlyMap<number, ProfileData>;
}

/** An account in a list of only active or only deactivated accounts, as the caller may see it. */
export const toListedUser = (
  caller: Pick<Caller, 'userId' | 'role'>,
  user: User,
  { clientGravatar, profileData }: UserResponseOptions,
) => ({
  user_id: user.id,
  email: user.email,
  delivery_email: visibleDeliveryEmail(caller, user),
  full_name: user.fullName,
  role: user.role,
  is_admin: isAdministrator(user.role),
  is_owner: user.role === roles.owner,
  is_guest: isGuest(user.role),
  is_bot: user.isBot,
  timezone: user.timezone,
  date_joined: minuteOf(user.dateJoined),
  avatar_version: AVATAR_VERSION,
  avatar_url: clientGravatar ? null : avatarUrl(user.id),
  is_imported_stub: false,
  ...(user.isBot
    ? { bot_type: GENERIC_BOT, bot_owner_id: user.botOwnerId }
    : profileData !== undefined && { profile_data: profileData.get(user.id) ?? {} }),
  ...(user.isSystemBot && { is_system_bot: true }),
});

/** An account in the format of the API, as the caller may see it. */
export const toUserResponse = (
  caller: Pick<Caller, 'userId' | 'role'>,
  user: User,
  options: UserResponseOptions,
) => ({ ...toListedUser(caller, user, options), is_active: user.isActive });

/** A viewer with the visibility that everyone has. */
const ANYONE = { userId: 0, role: roles.guest };

/** An account in an event for all who may see it. Its picture is for clients that do not compute it. */
export const toAddedUser = (user: User, profileData: ReadonlyMap<number, ProfileData>) =>
  toUserResponse(ANYONE, user, { clientGravatar: false, profileData });

/**
 * The account that clients get in place of one that a guest cannot see. All values are the same for every such account,
 * but for the id. `host` is the host name of the organisation, without a port.
 */
export function toListedSubstitute(
  userId: number,
  { host, clientGravatar }: { readonly host: string; readonly clientGravatar: boolean },
) {
  const { email, fullName } = substituteIdentity(userId, host);
  return {
    user_id: userId,
    email,
    delivery_email: null,
    full_name: fullName,
    role: roles.member,
    is_admin: false,
    is_owner: false,
    is_guest: false,
    is_bot: false,
    timezone: '',
    date_joined: minuteOf(new Date(0)),
    avatar_version: AVATAR_VERSION,
    avatar_url: clientGravatar ? null : avatarUrl(userId),
    is_imported_stub: false,
    profile_data: {},
  };
}

/** ISO 8601, to the minute. */
export const minuteOf = (time: Date): string =>
  `${time.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length)}+00:00`;
