import { Injectable } from '@nestjs/common';
import { type BumpedAuthVersion, bumpAuthVersions } from '#directory/auth';
import { Database, type Session } from '#platform/database';

/** New values of the push notification settings of an account; missing members stay unchanged. */
export interface NotificationSettings {
  /** Push for direct messages and mentions. */
  readonly isPushEnabled?: boolean | undefined;
  /** Push even while the account is active on a client. */
  readonly isPushedOnline?: boolean | undefined;
  /** Push for all messages in channels; a setting of the subscription takes precedence. */
  readonly isPushedChannels?: boolean | undefined;
  /** Push for mentions of everyone in channels; a setting of the subscription takes precedence. */
  readonly isPushedWildcards?: boolean | undefined;
}

const SHARE_PRESENCE = `
  UPDATE users SET is_presence_enabled = $2, updated_at = now()
  WHERE id = $1 AND is_presence_enabled <> $2
  RETURNING id`;

// A null parameter keeps the stored value.
const CHANGE_NOTIFICATIONS = `
  UPDATE users SET
    is_push_enabled = coalesce($2, is_push_enabled),
    is_pushed_online = coalesce($3, is_pushed_online),
    is_pushed_channels = coalesce($4, is_pushed_channels),
    is_pushed_wildcards = coalesce($5, is_pushed_wildcards)
  WHERE id = $1`;

@Injectable()
export class SettingRepository {
  constructor(private readonly database: Database) {}

  /**
   * Sets whether an account shares its presence. Resolves with its new authentication version; with an empty list if
   * the setting already had the value.
   */
  async sharePresence(
    userId: number,
    isPresenceEnabled: boolean,
    session: Session = this.database,
  ): Promise<BumpedAuthVersion[]> {
    return session.transaction(async (transaction) => {
      const values = [userId, isPresenceEnabled];
      const changed = await transaction.query('share_presence', SHARE_PRESENCE, values);
      return changed.length === 0 ? [] : bumpAuthVersions(transaction, [userId]);
    });
  }

  /** The stored setting. */
  async sharesPresence(userId: number): Promise<boolean> {
    const user = await this.database.prisma.user.findUniqueOrThrow({
      where: { id: userId },
      select: { isPresenceEnabled: true },
    });
    return user.isPresenceEnabled;
  }

  /** Changes the given push notification settings. */
  async changeNotifications(
    userId: number,
    change: NotificationSettings,
    session: Session = this.database,
  ): Promise<void> {
    await session.query('change_notifications', CHANGE_NOTIFICATIONS, [
      userId,
      change.isPushEnabled ?? null,
      change.isPushedOnline ?? null,
      change.isPushedChannels ?? null,
      change.isPushedWildcards ?? null,
    ]);
  }
}
