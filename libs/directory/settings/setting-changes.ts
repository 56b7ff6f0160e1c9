import { Injectable } from '@nestjs/common';
import type { Realm } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { SettingRepository } from './setting.repository.js';
import { SettingEvents } from './settings.events.js';
import {
  type SettingUpdate,
  changedSettings,
  editedSettings,
  type SettingsInput,
  type SettingColumns,
  updateOf,
  valuesOf,
} from './settings.rules.js';

/** A change of settings that applies to accounts. */
interface Change {
  readonly realm: Pick<Realm, 'id'>;
  readonly userIds: readonly number[];
  readonly given: SettingsInput;
  /** Who changes: the account itself, or an administrator, perhaps only what the account has not changed itself. */
  readonly by: 'owner' | 'administrator' | 'administrator, unless edited';
}

/** The settings of accounts in one transaction. */
@Injectable()
export class SettingChanges {
  constructor(
    private readonly settings: SettingRepository,
    private readonly events: SettingEvents,
  ) {}

  /**
   * Changes settings of accounts, with an event for each that has another value then. Resolves with the changed settings by
   * account. Rejects with an Error if there is none of the accounts.
   */
  async apply(
    transaction: Transaction,
    change: Change,
  ): Promise<ReadonlyMap<number, readonly SettingUpdate[]>> {
    const { realm, userIds, given, by } = change;
    await this.events.changing(transaction, realm.id, given);
    const locked = await this.settings.lock(transaction, userIds);
    if (locked.size === 0) throw new Error(`There is no account ${userIds.join(', ')}`);
    const changes = [...locked].flatMap(([userId, stored]) => {
      const changed = changedBy(by, stored, given);
      if (changed.length === 0) return [];
      const names = changed.map(({ property }) => property);
      const edited = editedSettings(stored);
      const update = updateOf(
        changed,
        by === 'owner' ? [...new Set([...edited, ...names])] : edited,
      );
      return [{ userId, changed, update }];
    });
    if (changes.length > 0) {
      const updates = changes.map(({ userId, update }) => [userId, update] as const);
      await this.settings.store(transaction, new Map(updates));
    }
    const changed = new Map(changes.map((one) => [one.userId, one.changed]));
    await this.events.changed(transaction, realm.id, changed);
    return changed;
  }
}

function changedBy(
  by: Change['by'],
  stored: SettingColumns,
  given: SettingsInput,
): readonly SettingUpdate[] {
  const changed = changedSettings(valuesOf(stored), given);
  if (by !== 'administrator, unless edited') return changed;
  const edited = new Set(editedSettings(stored));
  return changed.filter(({ property }) => !edited.has(property));
}
