import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, signInErrors } from '#platform/contracts';
import { Database, type Session, type Transaction } from '#platform/database';
import { PushRegistrationRepository } from '#push/tokens';
import {
  type ActiveDevice,
  type ClearedToken,
  ClientDeviceRepository,
  type RemovedDevice,
  type SignedInAccount,
} from './client-device.repository.js';
import { clientDeviceErrors } from './client-devices.errors.js';
import { ClientDeviceEvents } from './client-devices.events.js';

/** Of one account. */
const MAX_DEVICES = 256;

/** The account of a caller, as devices belong to it. */
export const accountOf = ({ userId, keyGeneration, realm }: Caller): SignedInAccount => ({
  userId,
  keyGeneration,
  realmId: realm.id,
});

/** The client devices of accounts. A removed device gets nothing more, and the push service forgets its token. */
@Injectable()
export class ClientDevicesService {
  constructor(
    private readonly devices: ClientDeviceRepository,
    private readonly registrations: PushRegistrationRepository,
    private readonly events: ClientDeviceEvents,
    private readonly database: Database,
  ) {}

  /**
   * Adds a device and resolves with its id. An account with 256 devices loses its oldest one without a token or of an older
   * API key; rejects with `tooManyClientDevices` if no such device exists, and with `invalidApiKey` if the key was replaced.
   */
  async add(caller: Caller): Promise<number> {
    const account = accountOf(caller);
    return this.database.transaction(async (transaction) => {
      if (!(await this.devices.lockAccount(transaction, account))) {
        throw new ApiError(signInErrors.invalidApiKey);
      }
      if (await this.#isFull(transaction, account.userId)) {
        const oldest = await this.devices.removeOldestUnused(transaction, account);
        if (oldest !== null) await this.#conclude(transaction, [oldest]);
        // While the statement waited for a row, a worker may have removed all devices of an older API key.
        else if (await this.#isFull(transaction, account.userId)) {
          throw new ApiError(clientDeviceErrors.tooManyClientDevices);
        }
      }
      const deviceId = await this.devices.add(transaction, account);
      this.events.added(transaction, account, deviceId);
      return deviceId;
    });
  }

  /** Rejects with `invalidDeviceId`. */
  async remove(caller: Caller, deviceId: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const removed = await this.devices.removeOwn(transaction, accountOf(caller), deviceId);
      if (removed === null) throw new ApiError(clientDeviceErrors.invalidDeviceId);
      await this.#conclude(transaction, [removed]);
    });
  }

  /** Removes the devices of API keys of an account before this generation; resolves with their ids. */
  async removeOlder(
    transaction: Transaction,
    userId: number,
    keyGeneration: number,
  ): Promise<number[]> {
    return this.#conclude(
      transaction,
      await this.devices.removeOlder(transaction, userId, keyGeneration),
    );
  }

  /** Removes those of the devices that are the account's, or all of them; resolves with their ids. */
  removeChosen(userId: number, ids: readonly number[] | null, session: Session): Promise<number[]> {
    return session.transaction(async (transaction) =>
      this.#conclude(transaction, await this.devices.removeChosen(transaction, userId, ids)),
    );
  }

  /** One or all devices of the caller that have a token. */
  listActive(caller: Caller, deviceId: number | null): Promise<ActiveDevice[]> {
    return this.devices.listActive(caller, deviceId);
  }

  /** Takes tokens that the push service does not have from all devices of an organisation. The ids are in base64. */
  async tokensDeleted(realmId: number, tokenIds: readonly string[], since: Date): Promise<void> {
    if (tokenIds.length === 0) return;
    const tokens = tokenIds.map((id) => ({ realmId, tokenId: Buffer.from(id, 'base64'), since }));
    await this.database.transaction((transaction) => this.clearTokens(transaction, tokens));
  }

  /** Takes tokens that are dead from all devices of their organisations; with `since`, unless they were registered later. */
  async clearTokens(transaction: Transaction, tokens: readonly ClearedToken[]): Promise<void> {
    for (const { id, ...account } of await this.devices.clearTokens(transaction, tokens)) {
      this.events.updated(transaction, account, id, { tokenId: null });
    }
  }

  async #isFull(transaction: Transaction, userId: number): Promise<boolean> {
    return (await this.devices.count(transaction, userId)) >= MAX_DEVICES;
  }

  async #conclude(transaction: Transaction, removed: readonly RemovedDevice[]): Promise<number[]> {
    const released = removed.flatMap(({ realmId, tokenIds }) =>
      tokenIds.map((tokenId) => ({ realmId, tokenId })),
    );
    await this.registrations.removeUnused(transaction, released);
    for (const device of removed) this.events.removed(transaction, device, device.id);
    return removed.map(({ id }) => id);
  }
}
