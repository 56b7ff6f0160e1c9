import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import { VisibleUsersRepository } from '#directory/guest-access';
import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { SettingRepository } from './setting.repository.js';
import {
  changeEvent,
  type ChangedSetting,
  defaultUserSettings,
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
    private readonly visible: VisibleUsersRepository,
    private readonly log: EventLog,
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

  /** Adds an event for each changed setting. */
  async changed(
    transaction: Transaction,
    { userId, realm }: Caller,
    changed: readonly ChangedSetting[],
  ): Promise<void> {
    const event = { realmId: realm.id, type: 'user_settings', audience: { userIds: [userId] } };
    this.log.append(transaction, ...changed.map((one) => ({ ...event, body: changeEvent(one) })));
    const sharing = changed.find(({ property }) => property === 'presence_enabled');
    if (sharing === undefined) return;
    const hidden = await this.visible.guestsNotSeeing(realm.id, [userId], transaction);
    this.log.append(transaction, {
      realmId: realm.id,
      type: 'user_status',
      body: { user_id: userId, away: sharing.value !== true },
      audience: { everyone: 'all', exceptIds: hidden.get(userId) ?? [] },
    });
  }
}
