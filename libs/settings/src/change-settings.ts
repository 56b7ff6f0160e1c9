import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { type AccountChange, ChangeAccount } from '#users';
import { ChangePresenceSharing } from './change-presence-sharing.js';
import type { NotificationSettings } from './notification-settings.js';
import { SettingRepository } from './setting.repository.js';

/** What the caller wants to be different; what is left out stays as it is. */
export interface SettingsChange extends AccountChange {
  readonly sharesPresence?: boolean | undefined;
  readonly notifications?: NotificationSettings;
}

/** Changes the caller's settings. */
@Injectable()
export class ChangeSettings {
  constructor(
    private readonly account: ChangeAccount,
    private readonly presence: ChangePresenceSharing,
    private readonly settings: SettingRepository,
  ) {}

  /** Rejects with ApiError for a name that is refused; then nothing has changed. */
  async execute(caller: Caller, change: SettingsChange): Promise<void> {
    const { sharesPresence, notifications = {}, ...account } = change;
    await this.account.execute(caller, account);
    if (Object.values(notifications).some((setting) => setting !== undefined)) {
      await this.settings.changeNotifications(caller.userId, notifications);
    }
    if (sharesPresence !== undefined) await this.presence.execute(caller, sharesPresence);
  }
}
