import { Inject, Injectable } from '@nestjs/common';
import { ApiError, LIMITS, type Limits, type Platform, signInErrors } from '#platform/contracts';
import { normalizeDeviceToken } from './device-token.rules.js';
import {
  type DeviceOwner,
  type DeviceRegistration,
  DeviceRepository,
} from './device.repository.js';
import { pushErrors } from './devices.errors.js';

/** The push devices of accounts. */
@Injectable()
export class DevicesService {
  constructor(
    private readonly devices: DeviceRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'devices'>,
  ) {}

  /**
   * Registers a device for the notifications of an account. A repeated registration refreshes the first one. If the
   * account exceeds its limit of devices of a platform, the oldest registration is removed. Rejects
   * with ApiError for an invalid token, and when the API key has been replaced since the sign-in.
   */
  async register(owner: DeviceOwner, device: DeviceRegistration): Promise<void> {
    const token = normalizeDeviceToken(device.platform, device.token);
    const { devices: limit } = this.limits;
    if (!(await this.devices.register(owner, { ...device, token }, limit))) {
      throw new ApiError(signInErrors.invalidApiKey);
    }
  }

  /**
   * Ends the notifications of one account to a device; other accounts on the device keep theirs. Rejects with
   * ApiError for an invalid token, and for a token that is not the account's.
   */
  async remove(
    owner: DeviceOwner,
    device: { readonly platform: Platform; readonly token: string },
  ): Promise<void> {
    const token = normalizeDeviceToken(device.platform, device.token);
    if (!(await this.devices.remove(owner, device.platform, token))) {
      throw new ApiError(pushErrors.tokenDoesNotExist);
    }
  }
}
