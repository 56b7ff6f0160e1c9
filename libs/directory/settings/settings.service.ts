import { Injectable } from '@nestjs/common';
import { type AccountChange, UsersService } from '#directory/users';
import type { Caller } from '#platform/contracts';
import { PresenceSharing } from './presence-sharing.js';
import { type NotificationSettings, SettingRepository } from './setting.repository.js';

/** New values of settings; missing members stay unchanged. */
export interface SettingsChange extends AccountChange {
  readonly sharesPresence?: boolean | undefined;
  readonly notifications?: NotificationSettings;
}

/** The settings of accounts. */
@Injectable()
export class SettingsService {
  constructor(
    private readonly users: UsersService,
    private readonly presence: PresenceSharing,
    private readonly settings: SettingRepository,
  ) {}

  /** Changes the caller's settings. Rejects with ApiError for an invalid name, before it changes anything. */
  async change(caller: Caller, change: SettingsChange): Promise<void> {
    const { sharesPresence, notifications = {}, ...account } = change;
    await this.users.changeOwn(caller, account);
    if (Object.values(notifications).some((setting) => setting !== undefined)) {
      await this.settings.changeNotifications(caller.userId, notifications);
    }
    if (sharesPresence !== undefined) await this.presence.set(caller, sharesPresence);
  }
}
