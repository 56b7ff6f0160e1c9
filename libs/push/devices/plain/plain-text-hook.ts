import type { Transaction } from '#platform/database';
import type { StoredToken } from './device.repository.js';

/** Called for phones that an account registers, so that a higher capability can end other registrations of the token. */
export interface PlainTextHook {
  /**
   * Runs in the transaction of the registration, which has locked the account. A rejection rolls it back. The token is as the
   * app gave it.
   */
  registered(
    transaction: Transaction,
    account: { readonly userId: number; readonly realmId: number },
    token: StoredToken,
  ): Promise<void>;
}

/** DI token of the PlainTextHook. */
export const PLAIN_TEXT_HOOK = Symbol('PlainTextHook');
