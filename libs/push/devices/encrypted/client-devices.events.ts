import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import type { RealmAccount } from '#platform/contracts';
import { ClientDeviceRepository } from './client-device.repository.js';
import { type RegistrationUpdate, toRegistrationResponse } from './push-registration.rules.js';

/** The client devices of `POST /register`, and the events of their changes. Only the account gets them. */
@Injectable()
@DeclaresEvents()
export class ClientDeviceEvents implements CapabilityEvents {
  readonly types = [{ type: 'device' }];
  readonly fetchTypes = ['device'];

  constructor(
    private readonly devices: ClientDeviceRepository,
    private readonly log: EventLog,
  ) {}

  async readState({ caller, snapshot }: StateRequest) {
    const devices = await this.devices.list(caller.userId, snapshot);
    const entries = devices.map(({ id, tokenUpdatedAt, ...device }) => {
      const registration = { ...device, tokenUpdatedAt: tokenUpdatedAt?.getTime() ?? null };
      return [String(id), toRegistrationResponse(registration)] as const;
    });
    return { devices: Object.fromEntries(entries) };
  }

  added(transaction: Transaction, account: RealmAccount, deviceId: number): void {
    this.#append(transaction, account, { op: 'add', device_id: deviceId });
  }

  removed(transaction: Transaction, account: RealmAccount, deviceId: number): void {
    this.#append(transaction, account, { op: 'remove', device_id: deviceId });
  }

  /** Adds the event of new values of a registration. */
  updated(
    transaction: Transaction,
    account: RealmAccount,
    deviceId: number,
    update: RegistrationUpdate,
  ): void {
    const changed = toRegistrationResponse(update);
    this.#append(transaction, account, { op: 'update', device_id: deviceId, ...changed });
  }

  #append(transaction: Transaction, { userId, realmId }: RealmAccount, body: object): void {
    this.log.append(transaction, {
      realmId,
      type: 'device',
      body,
      audience: { userIds: [userId] },
    });
  }
}
