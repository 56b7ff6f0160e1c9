import type { Transaction } from '#platform/database';
import type { SettingUpdate, SettingsInput } from './settings.rules.js';

/** Called for changed settings of accounts, so that a higher capability can add its own events. */
export interface SettingsHook {
  /** Runs in the transaction of the change, before it locks the accounts. */
  changing(transaction: Transaction, realmId: number, given: SettingsInput): Promise<void>;
  /** Runs after the change and its events. */
  changed(
    transaction: Transaction,
    realmId: number,
    changes: ReadonlyMap<number, readonly SettingUpdate[]>,
  ): void;
}

/**
 * Called for an account that changes which messages it wants to be notified of: its own settings, those of its subscriptions,
 * and muted or followed topics.
 */
export interface NotificationWishesHook {
  /** Runs in the transaction of the change, after it. */
  wishesChanged(transaction: Transaction, userId: number): Promise<void>;
}

/** Called for an account that changes when its phones are quiet. */
export interface QuietSettingsHook {
  /** Runs in the transaction of the change, after it. */
  quietChanged(transaction: Transaction, userId: number, change: QuietChange): Promise<void>;
}

/** The settings that an account has changed. */
export interface QuietChange {
  /** Its quiet hours, or the time zone that they follow. */
  readonly areHoursChanged: boolean;
  /** Another setting that keeps phones quiet. */
  readonly areOthersChanged: boolean;
}

/** DI token of the QuietSettingsHook; a program without one only changes the settings. */
export const QUIET_SETTINGS_HOOK = Symbol('QuietSettingsHook');

/** DI token of the NotificationWishesHook; a program without one only changes the wishes. */
export const NOTIFICATION_WISHES_HOOK = Symbol('NotificationWishesHook');

/** DI token of the SettingsHook; a program without one only changes the settings. */
export const SETTINGS_HOOK = Symbol('SettingsHook');
