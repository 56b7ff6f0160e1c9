import { Injectable } from '@nestjs/common';
import { ApiError } from '#contracts';
import { normalizeDeviceToken } from './device-token.rules.js';
import {
  type DeviceOwner,
  type DeviceRegistration,
  DeviceRepository,
} from './device.repository.js';

/** Registers a phone for an account's notifications. Doing so again refreshes the registration. */
@Injectable()
export class RegisterDevice {
  constructor(private readonly devices: DeviceRepository) {}

  /** Rejects with ApiError for a token that cannot be one, and when the key has been replaced since. */
  async execute(owner: DeviceOwner, device: DeviceRegistration): Promise<void> {
    const token = normalizeDeviceToken(device.platform, device.token);
    if (!(await this.devices.register(owner, { ...device, token }))) {
      throw new ApiError('invalidApiKey');
    }
  }
}
