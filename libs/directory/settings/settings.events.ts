import { Inject, Injectable, Optional } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import { AccountAudience } from '#directory/guest-access';
import type { Transaction } from '#platform/database';
import { SettingRepository } from './setting.repository.js';
import {
  NOTIFICATION_WISHES_HOOK,
  type NotificationWishesHook,
  QUIET_SETTINGS_HOOK,
  type QuietSettingsHook,
  SETTINGS_HOOK,
  type SettingsHook,
} from './settings-hook.js';
import {
  changeEvent,
  type SettingUpdate,
  defaultUserSettings,
  type SettingsInput,
  userSettings,
} from './settings.rules.js';

/**
 * The settings of `POST /register`, and the events of their changes. Only the account itself gets them; that it hides its
 * presence is also a part of its status, which others see.
 */
@Injectable()
@DeclaresEvents()
export class SettingEvents implements CapabilityEvents {
  readonly types = [{ type: 'user_settings' }];
  readonly fetchTypes = ['user_settings', 'realm_user_settings_defaults'];

  constructor(
    private readonly settings: SettingRepository,
    private readonly audience: AccountAudience,
    private readonly log: EventLog,
    @Optional() @Inject(SETTINGS_HOOK) private readonly hook: SettingsHook | null = null,
    @Optional()
    @Inject(NOTIFICATION_WISHES_HOOK)
    private readonly wishes: NotificationWishesHook | null = null,
    @Optional()
    @Inject(QUIET_SETTINGS_HOOK)
    private readonly quiet: QuietSettingsHook | null = null,
  ) {}

  async readState({ caller, snapshot, wants }: StateRequest) {
    return {
      ...(wants('user_settings') && {
        user_settings: userSettings(await this.settings.get(caller.userId, snapshot)),
      }),
      ...(wants('realm_user_settings_defaults') && {
        realm_user_settings_defaults: defaultUserSettings(),
      }),
    };
  }

  /** Runs before a change, and before the accounts are locked for it. */
  async changing(transaction: Transaction, realmId: number, given: SettingsInput): Promise<void> {
    await this.hook?.changing(transaction, realmId, given);
  }

  /** Adds an event for each changed setting, and the events of their effects. */
  async changed(
    transaction: Transaction,
    realmId: number,
    changes: ReadonlyMap<number, readonly SettingUpdate[]>,
  ): Promise<void> {
    const events = new Map<string, { setting: SettingUpdate; userIds: number[] }>();
    for (const [userId, changed] of changes) {
      for (const setting of changed) {
        const key = JSON.stringify(setting);
        const event = events.get(key) ?? { setting, userIds: [] };
        event.userIds.push(userId);
        events.set(key, event);
      }
    }
    for (const { setting, userIds } of events.values()) {
      const body = changeEvent(setting);
      this.log.append(transaction, { realmId, type: 'user_settings', body, audience: { userIds } });
    }
    this.hook?.changed(transaction, realmId, changes);
    for (const [userId, changed] of changes) {
      await this.#quietChanged(transaction, userId, changed);
      if (this.wishes !== null && changed.some(({ property }) => isWish(property))) {
        await this.wishes.wishesChanged(transaction, userId);
      }
      const sharing = changed.find(({ property }) => property === 'presence_enabled');
      if (sharing === undefined) continue;
      const body = { user_id: userId, away: sharing.value !== true };
      const accounts = { realmId, userIds: [userId] };
      await this.audience.append(transaction, accounts, (hidden) => {
        const audience = { everyone: 'all', exceptIds: hidden.get(userId) ?? [] } as const;
        return [{ realmId, type: 'user_status', body, audience }];
      });
    }
  }

  async #quietChanged(
    transaction: Transaction,
    userId: number,
    changed: readonly SettingUpdate[],
  ): Promise<void> {
    const properties = changed.map(({ property }) => property);
    const areHoursChanged = properties.some((property) => quietHoursSettings.has(property));
    const areOthersChanged = properties.some((property) => quietSettings.has(property));
    if (!areHoursChanged && !areOthersChanged) return;
    const change = { areHoursChanged, areOthersChanged };
    await this.quiet?.quietChanged(transaction, userId, change);
  }
}

const quietHoursSettings: ReadonlySet<string> = new Set(['push_quiet_hours', 'timezone']);

const quietSettings: ReadonlySet<string> = new Set([
  'push_notifications_delay_period_seconds',
  'push_quiet_hours_exceptions',
  'push_snoozed_until',
  'push_vip_user_ids',
]);

/** Whether a setting decides which messages an account is notified of. */
const isWish = (property: string): boolean =>
  /_push_notifications$|wildcard_mentions_notify$/.test(property);
