import { Injectable } from '@nestjs/common';
import { DeviceInventoryRepository } from './device-inventory.repository.js';

/** Which devices of an account. */
export type DeviceChoice = { readonly ids: readonly number[] } | { readonly all: true };

/** Ends the notifications of an account to some of its phones, or to all, for an operator. */
@Injectable()
export class RemoveDevices {
  constructor(private readonly inventory: DeviceInventoryRepository) {}

  /**
   * Resolves with the ids of those that were removed; ids that are not the account's are left out. Nothing
   * is sent to them from then on. An app that starts on such a phone may register it again.
   */
  async execute(userId: number, choice: DeviceChoice): Promise<number[]> {
    return this.inventory.remove(userId, 'ids' in choice ? choice.ids : null);
  }
}
