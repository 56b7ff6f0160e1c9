import { Injectable } from '@nestjs/common';
import { type Device, DeviceInventoryRepository } from './device-inventory.repository.js';

const MOST = 10_000;

/** Lists the phones that an account has registered, for an operator. */
@Injectable()
export class ListDevices {
  constructor(private readonly inventory: DeviceInventoryRepository) {}

  /** By ascending id, the first ten thousand; none for an account that there is not. */
  async execute(userId: number): Promise<Device[]> {
    return this.inventory.list(userId, MOST);
  }
}
