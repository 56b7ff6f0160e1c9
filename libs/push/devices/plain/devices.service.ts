import { Inject, Injectable } from '@nestjs/common';
import { type AccountKey, ApiError, LIMITS, type Limits, signInErrors } from '#platform/contracts';
import type { PhonePlatform } from '#push/jobs';
import { Database, type Transaction } from '#platform/database';
import { PushRevocations } from '#push/revocations';
import { DEVICE_CHANGES, type DeviceChanges } from '#push/relay';
import { NewestRegistrations } from '../encrypted/newest-registrations.js';
import { normalizeDeviceToken } from './device-token.rules.js';
import { type NewDevice, DeviceRepository } from './device.repository.js';
import { pushErrors } from './devices.errors.js';

/** The devices of accounts that get plain text. On a server that relays, the push service learns of each change. */
@Injectable()
export class DevicesService {
  constructor(
    private readonly devices: DeviceRepository,
    @Inject(DEVICE_CHANGES) private readonly changes: DeviceChanges,
    private readonly revocations: PushRevocations,
    private readonly database: Database,
    private readonly newest: NewestRegistrations,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'devices'>,
  ) {}

  /**
   * Registers a device for the notifications of an account, in place of all other registrations of the token by the account.
   * A repeated registration refreshes the first one. If the account exceeds its limit of devices of a platform, the oldest
   * registration is removed. Rejects with ApiError for an invalid token, and when the API key has been replaced since the sign-in; on a server that relays
   * also when the push service has not confirmed the registration, which is then repeated until it has.
   */
  async register(owner: AccountKey, device: NewDevice): Promise<void> {
    const { userId } = owner;
    const { platform, appId = null } = device;
    const normalized = normalizeDeviceToken(platform, device.token);
    const confirm = await this.database.transaction(async (transaction) => {
      const wanted = this.changes.keepsSpelling ? device.token : normalized;
      const stored = await this.#store(transaction, owner, { ...device, token: wanted });
      const { token, realmId, removed } = stored;
      await this.newest.registered(transaction, { userId, realmId }, device);
      const oldest = removed.map((one) => ({ ...one, userId, appId: null }));
      await this.changes.removed(transaction, oldest);
      return this.changes.registered(transaction, { userId, platform, token, appId });
    });
    await confirm();
  }

  /**
   * Ends the notifications of one account to a device, also those that were accepted before; other accounts on the device
   * keep theirs. Rejects with ApiError for an invalid token, and for a token that is not the account's.
   */
  async remove(
    owner: AccountKey,
    { platform, token }: { readonly platform: PhonePlatform; readonly token: string },
  ): Promise<void> {
    normalizeDeviceToken(platform, token);
    const id = await this.database.transaction(async (transaction) => {
      const removed = await this.devices.remove(owner, platform, token, transaction);
      if (removed === null) throw new ApiError(pushErrors.tokenDoesNotExist);
      const change = { platform, token: removed.token, userId: owner.userId, appId: null };
      await this.changes.removed(transaction, [change]);
      return removed.id;
    });
    await this.revocations.revokeDevices([id]);
  }

  async #store(transaction: Transaction, owner: AccountKey, device: NewDevice) {
    const stored = await this.devices.register(transaction, owner, device, this.limits.devices);
    if (stored === null) throw new ApiError(signInErrors.invalidApiKey);
    return stored;
  }
}
