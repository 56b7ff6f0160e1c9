import { Inject, Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import { DEVICE_CHANGES, type DeviceChanges } from '#push/relay';
import { DeviceRepository } from './device.repository.js';

/** Removes devices that get plain text, once their tokens are registered for encrypted notifications. */
@Injectable()
export class PlainTextDevices {
  constructor(
    private readonly devices: DeviceRepository,
    @Inject(DEVICE_CHANGES) private readonly changes: DeviceChanges,
  ) {}

  /**
   * Removes the devices of an account whose tokens have these ids, and those of the installation with the id `registeredId`;
   * also at the push service of another server.
   */
  async remove(
    transaction: Transaction,
    userId: number,
    tokenIds: readonly Buffer[],
    registeredId: Buffer,
  ): Promise<void> {
    const removed = await this.devices.removeByTokenIds(
      transaction,
      userId,
      tokenIds,
      registeredId,
    );
    const tokens = removed.map((device) => ({ ...device, userId, appId: null }));
    await this.changes.removed(transaction, tokens);
  }
}
