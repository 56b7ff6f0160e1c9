import type { Audience, NewEvent } from '#events/log';
import type { Transaction } from '#platform/database';

/** Called for every new account of a person, so that a higher capability can add its own rows. */
export interface NewAccountHook {
  /**
   * Runs in the transaction that creates the account, after the event of the account was added. A rejection rolls the
   * account back.
   */
  personAdded(
    transaction: Transaction,
    person: { readonly realmId: number; readonly userId: number },
  ): Promise<void>;
}

/** DI token of the NewAccountHook. */
export const NEW_ACCOUNT_HOOK = Symbol('NewAccountHook');

/** Accounts that were deactivated or reactivated together. */
export interface ActivationChange {
  readonly realmId: number;
  /** An account and, at a deactivation, the bots that it owns; ascending. */
  readonly userIds: readonly number[];
  readonly isActive: boolean;
}

/** Called for deactivated and reactivated accounts, so that a higher capability can add its own events. */
export interface ActivationHook {
  /**
   * Runs in the transaction of the change: at a deactivation before the events of the accounts are added, at a
   * reactivation after them. A rejection rolls the change back.
   */
  activationChanged(transaction: Transaction, change: ActivationChange): Promise<void>;
}

/** DI token of the ActivationHook; a program without one only changes the accounts. */
export const ACTIVATION_HOOK = Symbol('ActivationHook');

/** Called for accounts that guests may see now, and for reactivated ones, so that a higher capability can add its data. */
export interface VisibilityHook {
  /**
   * The events about the accounts. Runs late in the transaction of the change: it must lock no row. `audiences` has the
   * audience of the events about each account, by its id.
   */
  shown(
    transaction: Transaction,
    realmId: number,
    audiences: ReadonlyMap<number, Audience>,
  ): Promise<readonly NewEvent[]>;
}

/** DI token of the VisibilityHook. */
export const VISIBILITY_HOOK = Symbol('VisibilityHook');
