import { Inject, Injectable } from '@nestjs/common';
import { ApiError, LIMITS, type Limits } from '#contracts';
import { normalizeDeviceToken } from './device-token.rules.js';
import {
  type DeviceOwner,
  type DeviceRegistration,
  DeviceRepository,
} from './device.repository.js';

/**
 * Registers a phone for an account's notifications. Doing so again refreshes the registration. Where the
 * account has too many of the platform, the one that was registered longest ago is removed.
 */
@Injectable()
export class RegisterDevice {
  constructor(
    private readonly devices: DeviceRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'devices'>,
  ) {}

  /** Rejects with ApiError for a token that cannot be one, and when the key has been replaced since. */
  async execute(owner: DeviceOwner, device: DeviceRegistration): Promise<void> {
    const token = normalizeDeviceToken(device.platform, device.token);
    const { devices: limit } = this.limits;
    if (!(await this.devices.register(owner, { ...device, token }, limit))) {
      throw new ApiError('invalidApiKey');
    }
  }
}
