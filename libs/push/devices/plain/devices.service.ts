import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, LIMITS, type Limits, type Platform, signInErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { PushRevocations } from '#push/revocations';
import { legacyErrorOf, relayErrors, TokenChanges } from '#push/relay';
import { normalizeDeviceToken } from './device-token.rules.js';
import { type DeviceOwner, type NewDevice, DeviceRepository } from './device.repository.js';
import { pushErrors } from './devices.errors.js';
import { PLAIN_TEXT_HOOK, type PlainTextHook } from './plain-text-hook.js';

/** How long a registration waits while another process sends the changes of the account. */
const MAX_WAIT_MS = 15_000;
const RECHECK_MS = 200;

/** The push devices of accounts. On a server that relays, the push service learns of each change. */
@Injectable()
export class DevicesService {
  constructor(
    private readonly devices: DeviceRepository,
    private readonly changes: TokenChanges,
    private readonly revocations: PushRevocations,
    private readonly database: Database,
    @Inject(PLAIN_TEXT_HOOK) private readonly hook: PlainTextHook,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'devices'>,
  ) {}

  /**
   * Registers a device for the notifications of an account, in place of all other registrations of the token by the account.
   * A repeated registration refreshes the first one. If the account exceeds its limit of devices of a platform, the oldest registration is removed. Rejects
   * with ApiError for an invalid token, and when the API key has been replaced since the sign-in; on a server that relays
   * also when the push service has not confirmed the registration, which is then repeated until it has.
   */
  async register(owner: DeviceOwner, device: NewDevice): Promise<void> {
    const { userId } = owner;
    const { platform, appId = null } = device;
    const normalized = normalizeDeviceToken(platform, device.token);
    const changeId = await this.database.transaction(async (transaction) => {
      // A push service may compare tokens exactly, and gets them as apps give them.
      const wanted = this.changes.isRelaying ? device.token : normalized;
      const stored = await this.#store(transaction, owner, { ...device, token: wanted });
      const { token, realmId, removed } = stored;
      await this.hook.registered(transaction, { userId, realmId }, device);
      const phones = removed.map((phone) => ({ ...phone, userId, appId: null }));
      await this.changes.removed(transaction, phones);
      return this.changes.registered(transaction, { userId, platform, token, appId });
    });
    if (changeId !== null) await this.#relay(userId, changeId);
  }

  /**
   * Ends the notifications of one account to a device, also those that were accepted before; other accounts on the device
   * keep theirs. Rejects with ApiError for an invalid token, and for a token that is not the account's.
   */
  async remove(
    owner: DeviceOwner,
    { platform, token }: { readonly platform: Platform; readonly token: string },
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

  async #store(transaction: Transaction, owner: DeviceOwner, device: NewDevice) {
    const stored = await this.devices.register(transaction, owner, device, this.limits.devices);
    if (stored === null) throw new ApiError(signInErrors.invalidApiKey);
    return stored;
  }

  /** Rejects with the failure of the service. */
  async #relay(userId: number, changeId: number): Promise<void> {
    const start = performance.now();
    for (;;) {
      const result = await this.changes.send(userId, changeId);
      if (result === 'done') return;
      if (result !== 'busy') throw legacyErrorOf(result);
      if (performance.now() - start > MAX_WAIT_MS) {
        throw new ApiError(relayErrors.serviceNotReached, { name: 'ReadTimeout' });
      }
      await delay(RECHECK_MS);
    }
  }
}
