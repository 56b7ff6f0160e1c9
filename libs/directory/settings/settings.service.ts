import { Injectable } from '@nestjs/common';
import { AuthVersionStore, type AccountVersion, bumpAuthVersions } from '#directory/auth';
import { UsersService } from '#directory/users';
import type { Caller } from '#platform/contracts';
import { Database, type Session, type Transaction } from '#platform/database';
import { PresenceSharing } from './presence-sharing.js';
import { SettingChanges } from './setting-changes.js';
import { SettingRepository } from './setting.repository.js';
import {
  type AccountChange,
  type SettingUpdate,
  type SettingsInput,
  userSettings,
  type UserSettings,
} from './settings.rules.js';

/** The settings of accounts. */
@Injectable()
export class SettingsService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
    private readonly settings: SettingRepository,
    private readonly versions: AuthVersionStore,
    private readonly presence: PresenceSharing,
    private readonly changes: SettingChanges,
  ) {}

  /** All settings of an account. Rejects with an Error for an unknown id. */
  async settingsOf(userId: number, session: Session = this.database): Promise<UserSettings> {
    return userSettings(await this.settings.get(userId, session));
  }

  /**
   * Changes the caller's name and settings, all or none. When it resolves, the changes are stored and every gateway
   * applies them. Rejects with ApiError for an invalid name, and for a duplicate name if the organisation requires
   * unique names.
   */
  async changeOwn(caller: Caller, { fullName, settings = {} }: AccountChange): Promise<void> {
    if (fullName === undefined && isEmpty(settings)) return;
    await this.database.transaction(async (transaction) => {
      const account = { realmId: caller.realm.id, userId: caller.userId };
      if (fullName !== undefined) await this.users.rename(transaction, account, fullName);
      await this.change(transaction, caller, settings);
    });
  }

  /**
   * Changes settings as a part of a transaction, with an event for each that has another value then, and publishes the change
   * after the commit. Resolves with the settings whose value is another now.
   */
  async change(
    transaction: Transaction,
    caller: Caller,
    given: SettingsInput,
  ): Promise<readonly SettingUpdate[]> {
    if (isEmpty(given)) return [];
    const { userId, realm } = caller;
    const change = { realm, userIds: [userId], given, by: 'owner' } as const;
    const changed = (await this.changes.apply(transaction, change)).get(userId) ?? [];
    const timezone = changed.find(({ property }) => property === 'timezone');
    if (timezone !== undefined) {
      await this.users.timezoneChanged(transaction, caller, String(timezone.value));
    }
    // A cached sign-in holds whether the account shares its presence.
    const isSignInChanged = changed.some(({ property }) => property === 'presence_enabled');
    const authVersions = isSignInChanged ? await bumpAuthVersions(transaction, [userId]) : [];
    transaction.afterCommit(() => this.#publish(caller, given.presence_enabled, authVersions));
    return changed;
  }

  /**
   * Publishes a committed change to every gateway, and a given sharing of presence to the presence program. The same value is
   * published again: a client repeats its request if the gateway ended between the commit and the publication.
   */
  async #publish(
    caller: Caller,
    isPresenceShared: boolean | undefined,
    authVersions: readonly AccountVersion[],
  ): Promise<void> {
    // Before the publication, so that no gateway publishes a report of an account that is now invisible.
    await this.versions.raiseAll(authVersions);
    if (isPresenceShared !== undefined) await this.presence.publish(caller, isPresenceShared);
  }
}

const isEmpty = (given: SettingsInput): boolean =>
  Object.values(given).every((value) => value === undefined);
