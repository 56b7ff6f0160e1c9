import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import type { RealmAccount } from '#platform/contracts';
import { tokenIdOf, tokenIdsOf } from '#push/encryption';
import { PushRegistrationRepository, type RegisteredToken, type StoredToken } from '#push/tokens';
import { type AccountTokens, ClientDeviceRepository } from './client-device.repository.js';
import { ClientDeviceEvents } from './client-devices.events.js';
import { TokenRequestRepository } from './token-request.repository.js';

/**
 * Lets the newest registration of a token by an account win, encrypted or in plain text, so that a phone gets each
 * notification once and can read it. The order is that of the requests of apps: each of them locks the account. Other accounts
 * on the same phone are not affected.
 */
@Injectable()
export class NewestRegistrations {
  constructor(
    private readonly devices: ClientDeviceRepository,
    private readonly requests: TokenRequestRepository,
    private readonly registrations: PushRegistrationRepository,
    private readonly events: ClientDeviceEvents,
  ) {}

  /**
   * Ends the encrypted registrations of a token that the account registers for plain text. Runs in the transaction of that
   * registration. The token is as the app gave it.
   */
  async registered(
    transaction: Transaction,
    account: RealmAccount,
    { platform, token }: StoredToken,
  ): Promise<void> {
    const { realmId } = account;
    const stored = await this.registrations.idsOf({ realmId, platform, token }, transaction);
    const tokenIds = [...tokenIdsOf(platform, token), ...stored];
    const tokens = { ...account, tokenIds };
    await this.requested(transaction, tokens);
    await this.accepted(transaction, tokens, tokenIdOf(token));
  }

  /** Ends the requests of other devices for a token whose registration begins: their answers may come later. */
  async requested(transaction: Transaction, tokens: AccountTokens): Promise<void> {
    const deviceIds = await this.requests.removeOf(transaction, tokens);
    if (deviceIds.length === 0) return;
    const ended = await this.devices.endPending(transaction, tokens, deviceIds);
    for (const id of ended) {
      this.events.updated(transaction, tokens, id, { pendingTokenId: null });
    }
  }

  /**
   * Takes a token from other devices, once its registration has succeeded. Also the other tokens of the installation, if
   * `registeredId` is the id of an installation id of Google.
   */
  async accepted(
    transaction: Transaction,
    account: AccountTokens,
    registeredId: Buffer,
  ): Promise<void> {
    const { realmId, userId } = account;
    const others = await this.registrations.idsOfInstallation(transaction, userId, registeredId);
    const tokenIds = [...account.tokenIds, ...others];
    const tokens = { ...account, tokenIds };
    const taken = await this.devices.takeTokens(transaction, tokens);
    for (const id of taken) this.events.updated(transaction, tokens, id, { tokenId: null });
    if (taken.length === 0) return;
    const released = tokenIds.map((tokenId) => ({ realmId, tokenId }));
    await this.release(transaction, released);
  }

  /** Has the push service forget those of the tokens that no device of their organisation has any more. */
  async release(transaction: Transaction, tokens: readonly RegisteredToken[]): Promise<void> {
    await this.registrations.removeUnused(transaction, tokens);
  }
}
