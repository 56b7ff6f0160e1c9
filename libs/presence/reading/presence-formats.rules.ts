import type { OnlineUser, PresenceRequest, SeenTimes } from '#presence/rpc';
import { isCapable, type QueueOptions } from '#events/declarations';
import { legacyStatus } from '#presence/rules';

/** The presence of a registration. */
export interface RegistrationPresence {
  readonly presences: Readonly<Record<string, object>>;
  /** -1 for none. */
  readonly presence_last_update_id: number;
  /** UNIX seconds. */
  readonly server_timestamp: number;
}

type Format = PresenceRequest['format'];

/** A user of a registration. */
interface StateUser extends SeenTimes {
  readonly userId: number;
  readonly email: string;
  readonly joinedAt: number;
}

/** The format of the presence of a registration. */
export const stateFormat = (options: QueueOptions): Format =>
  options.slimPresence || isCapable(options, 'simplified_presence_events') ? 'modern' : 'legacy';

/** The presence of a registration without an update id. */
export const registrationPresence = (
  users: readonly StateUser[],
  format: Format,
  nowMs: number,
): RegistrationPresence => ({
  presences: Object.fromEntries(
    users.map((user) =>
      format === 'modern'
        ? [String(user.userId), modernEntry({ ...user, activeAt: user.activeAt || user.joinedAt })]
        : [user.email, legacyEntry(user)],
    ),
  ),
  presence_last_update_id: -1,
  server_timestamp: nowMs / 1000,
});

/**
 * The events of users who came online, in the format of a queue: one for all in the modern format, one for each in the legacy
 * format.
 */
export const onlineEvents = (
  users: readonly OnlineUser[],
  options: QueueOptions,
  nowMs: number,
): readonly object[] => {
  if (isCapable(options, 'simplified_presence_events')) {
    return [
      {
        presences: Object.fromEntries(
          users.map((user) => [String(user.userId), modernEntry(user)]),
        ),
      },
    ];
  }
  return users.map((user) => ({
    user_id: user.userId,
    ...(options.slimPresence ? {} : { email: user.email }),
    server_timestamp: nowMs / 1000,
    presence: { website: legacyEntry(user).website },
  }));
};

const modernEntry = ({ activeAt, idleAt }: SeenTimes) => ({
  active_timestamp: activeAt,
  idle_timestamp: idleAt,
});

function legacyEntry(times: SeenTimes) {
  const aggregated = { client: 'website', ...legacyStatus(times) };
  return { aggregated, website: { ...aggregated, pushable: false } };
}
