import { Injectable, Logger } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';
import { PlainTextDevices } from '../plain/plain-text-devices.js';
import type { RegistrationAnswer } from '#push/tokens';
import { type ClientDevice, ClientDeviceRepository } from './client-device.repository.js';
import { ClientDeviceEvents } from './client-devices.events.js';
import { NewestRegistrations } from './newest-registrations.js';
import { type PendingTokenRequest, TokenRequestRepository } from './token-request.repository.js';

type FinalAnswer = Exclude<RegistrationAnswer, { kind: 'retry' }>;

interface AnsweredRequest {
  readonly request: PendingTokenRequest;
  readonly device: ClientDevice;
}

/** Stores the answers of the push service, with their events. */
@Injectable()
export class RegistrationAnswers {
  readonly #logger = new Logger(RegistrationAnswers.name);

  constructor(
    private readonly requests: TokenRequestRepository,
    private readonly devices: ClientDeviceRepository,
    private readonly plainTextDevices: PlainTextDevices,
    private readonly newest: NewestRegistrations,
    private readonly events: ClientDeviceEvents,
    private readonly database: Database,
  ) {}

  /** An answer to a request that was replaced, or whose device was removed, has no effect. */
  async store(request: PendingTokenRequest, answer: FinalAnswer): Promise<void> {
    await this.database.transaction(async (transaction) => {
      // In the order of the requests of apps: the account, the device, its request.
      const device = await this.devices.lock(transaction, request, request.deviceId);
      if (device === null || !(await this.requests.remove(transaction, request))) {
        await this.newest.release(transaction, [request]);
      } else if (answer.kind === 'refused') {
        await this.#refuse(transaction, { request, device }, answer.code);
      } else {
        await this.#accept(transaction, { request, device }, answer);
      }
    });
  }

  async #refuse(
    transaction: Transaction,
    { request, device }: AnsweredRequest,
    errorCode: string,
  ): Promise<void> {
    if (request.isRefresh || errorCode === 'REQUEST_EXPIRED') {
      this.#logger.error(`The registration of device ${device.id} was refused: ${errorCode}`);
    }
    // The token stays registered.
    if (request.isRefresh) return;
    await this.devices.set(transaction, { ...device, errorCode });
    this.events.updated(transaction, request, device.id, { errorCode });
    await this.newest.release(transaction, [request]);
  }

  async #accept(
    transaction: Transaction,
    { request, device }: AnsweredRequest,
    { platform: answered, tokenIds }: Extract<FinalAnswer, { kind: 'registered' }>,
  ): Promise<void> {
    const platform = answered ?? device.pendingPlatform ?? device.platform;
    if (platform === null) return;
    const { realmId, tokenId } = request;
    // A token that was found dead during its refresh is alive again.
    if (!request.isRefresh || device.tokenId === null) {
      const pending = { pendingTokenId: null, pendingPlatform: null };
      await this.devices.set(transaction, { ...device, ...pending, tokenId, platform });
      this.events.updated(transaction, request, device.id, { tokenId, pendingTokenId: null });
      const earlier = device.tokenId === null ? [] : [{ realmId, tokenId: device.tokenId }];
      await this.newest.release(transaction, earlier);
    }
    // A later registration of the token by the account would have removed the request.
    await this.newest.accepted(transaction, { ...request, tokenIds }, tokenId);
    await this.plainTextDevices.remove(transaction, request.userId, tokenIds, tokenId);
  }
}
