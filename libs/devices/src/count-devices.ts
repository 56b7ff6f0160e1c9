import { Injectable } from '@nestjs/common';
import { type DeviceOwner, DeviceRepository } from './device.repository.js';

/** More are not told apart: no limit is as high. */
const MOST_COUNTED = 100_000;

/** Tells how many phones of an account are sent to. */
@Injectable()
export class CountDevices {
  constructor(private readonly devices: DeviceRepository) {}

  async execute(owner: DeviceOwner): Promise<number> {
    return this.devices.count(owner, MOST_COUNTED);
  }
}
