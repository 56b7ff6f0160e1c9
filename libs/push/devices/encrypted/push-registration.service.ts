import { Injectable, Optional } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { type Clock, systemClock } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import {
  type ClientDevice,
  ClientDeviceRepository,
  type SignedInAccount,
} from './client-device.repository.js';
import { clientDeviceErrors } from './client-devices.errors.js';
import { ClientDeviceEvents } from './client-devices.events.js';
import { accountOf } from './client-devices.service.js';
import { DeviceKeys } from './device-keys.js';
import {
  type DeviceRegistration,
  type RegistrationChange,
  registrationChange,
  type RegistrationRequest,
} from './push-registration.rules.js';
import { TokenRequests } from './token-requests.js';

/** The registration of client devices for encrypted notifications. */
@Injectable()
export class PushRegistrationService {
  constructor(
    private readonly devices: ClientDeviceRepository,
    private readonly keys: DeviceKeys,
    private readonly tokens: TokenRequests,
    private readonly events: ClientDeviceEvents,
    private readonly database: Database,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Sets the push key of a device at once, and asks the push service to register its token. The answer of the service comes
   * as an event. Rejects with ApiError, see docs/errors.md.
   */
  async register(caller: Caller, deviceId: number, request: RegistrationRequest): Promise<void> {
    if (!this.keys.isConfigured || !(await this.tokens.isServiceReady())) {
      throw new ApiError(clientDeviceErrors.pushServiceNotConfigured);
    }
    const account = accountOf(caller);
    await this.database.transaction(async (transaction) => {
      const device = await this.devices.lockOwn(transaction, account, deviceId);
      if (device === null) throw new ApiError(clientDeviceErrors.invalidDeviceId);
      const change = registrationChange(this.#registrationOf(device), request, this.clock());
      if (change !== null) await this.#apply(transaction, account, { device, change, request });
    });
  }

  async #apply(
    transaction: Transaction,
    account: SignedInAccount,
    {
      device,
      change,
      request: { token },
    }: {
      readonly device: ClientDevice;
      readonly change: RegistrationChange;
      readonly request: RegistrationRequest;
    },
  ): Promise<void> {
    const { key, tokenUpdatedAt, ...registration } = change.registration;
    const isKeyNew = change.update.pushKeyId !== undefined && key !== null;
    const requestedAt = tokenUpdatedAt === null ? null : new Date(tokenUpdatedAt);
    await this.devices.set(transaction, {
      ...device,
      ...registration,
      tokenUpdatedAt: requestedAt,
      ...(isKeyNew && { pushKeyId: key.id, pushKeySealed: this.keys.seal(key.key) }),
    });
    this.events.updated(transaction, account, device.id, change.update);
    if (change.request === null || token === null || requestedAt === null) return;
    await this.tokens.add(transaction, account, {
      deviceId: device.id,
      tokenId: Buffer.from(token.id, 'base64'),
      servicePublicKey: token.servicePublicKey,
      sealed: token.sealed,
      isRefresh: change.request === 'refresh',
      requestedAt,
    });
  }

  #registrationOf({ pushKeyId, pushKeySealed, ...device }: ClientDevice): DeviceRegistration {
    return {
      ...device,
      key:
        pushKeyId === null || pushKeySealed === null
          ? null
          : { id: pushKeyId, key: this.#open(pushKeySealed) },
      tokenUpdatedAt: device.tokenUpdatedAt?.getTime() ?? null,
    };
  }

  /** Empty, and so unlike every key of a phone, if it was sealed with another secret. */
  #open(sealed: Buffer): Buffer {
    try {
      return this.keys.open(sealed);
    } catch {
      return Buffer.alloc(0);
    }
  }
}
