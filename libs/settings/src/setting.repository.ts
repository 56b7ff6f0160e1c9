import { Injectable } from '@nestjs/common';
import { type OutdatedSignIn, outdateSignIns } from '#auth';
import { Database } from '#database';
import type { NotificationSettings } from './notification-settings.js';

// What is null stays as it is.
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
   * Sets whether an account shares its presence; resolves with its outdated sign-in, or with none when
   * that is how it was.
   */
  async sharePresence(userId: number, isPresenceEnabled: boolean): Promise<OutdatedSignIn[]> {
    return this.database.prisma.$transaction(async (transaction) => {
      const { count } = await transaction.user.updateMany({
        where: { id: userId, isPresenceEnabled: !isPresenceEnabled },
        data: { isPresenceEnabled },
      });
      return count === 0 ? [] : outdateSignIns(transaction, [userId]);
    });
  }

  /** Whether an account shares its presence by now. */
  async sharesPresence(userId: number): Promise<boolean> {
    const user = await this.database.prisma.user.findUniqueOrThrow({
      where: { id: userId },
      select: { isPresenceEnabled: true },
    });
    return user.isPresenceEnabled;
  }

  /** Changes what is given of what an account wants to be notified of. */
  async changeNotifications(userId: number, change: NotificationSettings): Promise<void> {
    await this.database.query('change_notifications', CHANGE_NOTIFICATIONS, [
      userId,
      change.isPushEnabled ?? null,
      change.isPushedOnline ?? null,
      change.isPushedChannels ?? null,
      change.isPushedWildcards ?? null,
    ]);
  }
}
