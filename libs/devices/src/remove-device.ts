import { Injectable } from '@nestjs/common';
import { ApiError, type Platform } from '#contracts';
import { normalizeDeviceToken } from './device-token.rules.js';
import { type DeviceOwner, DeviceRepository } from './device.repository.js';

/** Ends the notifications of one account to a phone; other accounts on the phone keep theirs. */
@Injectable()
export class RemoveDevice {
  constructor(private readonly devices: DeviceRepository) {}

  /** Rejects with ApiError for a token that cannot be one, and for one that is not the account's. */
  async execute(
    owner: DeviceOwner,
    device: { readonly platform: Platform; readonly token: string },
  ): Promise<void> {
    const token = normalizeDeviceToken(device.platform, device.token);
    if (!(await this.devices.remove(owner, device.platform, token))) {
      throw new ApiError('tokenDoesNotExist');
    }
  }
}
