import { type Caller, isAdministrator, roles } from '#contracts';
import type { ProfileData } from '#profile-fields';
import { AVATAR_VERSION, avatarUrl, type User, visibleDeliveryEmail } from '#users';

/** The only kind of bot that there is: it speaks through the API as people do. */
const GENERIC_BOT = 1;

interface Wanted {
  /** Whether the client makes the addresses of Gravatar itself. */
  readonly clientGravatar: boolean;
  /** What people have filled in, by their ids, where it is asked for. */
  readonly profileData?: ReadonlyMap<number, ProfileData>;
}

/** An account in the members of the API, as the caller may see it. */
export const userAnswer = (
  caller: Caller,
  user: User,
  { clientGravatar, profileData }: Wanted,
) => ({
  user_id: user.id,
  email: user.email,
  delivery_email: visibleDeliveryEmail(caller, user),
  full_name: user.fullName,
  role: user.role,
  is_admin: isAdministrator(user.role),
  is_owner: user.role === roles.owner,
  is_guest: user.role === roles.guest,
  is_billing_admin: false,
  is_active: user.isActive,
  is_bot: user.isBot,
  timezone: user.timezone,
  date_joined: minuteOf(user.dateJoined),
  avatar_version: AVATAR_VERSION,
  avatar_url: clientGravatar ? null : avatarUrl(user.email),
  is_imported_stub: false,
  ...(user.isBot
    ? { bot_type: GENERIC_BOT, bot_owner_id: user.botOwnerId }
    : profileData !== undefined && { profile_data: profileData.get(user.id) ?? {} }),
  ...(user.isSystemBot && { is_system_bot: true }),
});

const minuteOf = (time: Date): string =>
  `${time.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length)}+00:00`;
