import type { Transaction } from '#platform/database';
import type { ChangedToken } from './token-change.repository.js';

/**
 * Learns which devices of an account get plain text, in the transactions that change them. On a server that relays these are
 * changes for the push service.
 */
export interface DeviceChanges {
  /** Whether tokens are stored as apps give them: a push service may compare them exactly. */
  readonly keepsSpelling: boolean;
  /**
   * A token was registered. Resolves with a function to call after the commit: it rejects with ApiError while the push service
   * has not confirmed the registration, which is then repeated until it has.
   */
  registered(transaction: Transaction, token: ChangedToken): Promise<() => Promise<void>>;
  /** Tokens were removed. */
  removed(transaction: Transaction, tokens: readonly ChangedToken[]): Promise<void>;
  /** The devices of older API keys were removed. */
  loggedOut(transaction: Transaction, userId: number): Promise<void>;
  /** Sends the stored changes of an account. Rejects only when PostgreSQL is down. */
  send(userId: number): Promise<unknown>;
  /** Adds the jobs of accounts with changes that are due. Rejects when PostgreSQL is down. */
  sweep(): Promise<void>;
}

/** DI token of the DeviceChanges. */
export const DEVICE_CHANGES = Symbol('DeviceChanges');

const nothing = () => Promise.resolve();

/** The DeviceChanges of a server that sends to Apple and Google itself: nobody has to learn of them. */
export const noDeviceChanges: DeviceChanges = {
  keepsSpelling: false,
  registered: () => Promise.resolve(nothing),
  removed: nothing,
  loggedOut: nothing,
  send: nothing,
  sweep: nothing,
};
