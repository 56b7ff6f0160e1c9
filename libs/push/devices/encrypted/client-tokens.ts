import { Injectable } from '@nestjs/common';
import type { PhonePlatform } from '#push/jobs';
import { Database, type Session, type Transaction } from '#platform/database';
import { ClientDevicesService } from './client-devices.service.js';
import {
  type AgedApp,
  type DeadToken,
  type LearntEnvironment,
  type OldTokens,
  PushRegistrationRepository,
} from '#push/tokens';

/** Stores the results of deliveries about the tokens of client devices, and ends old tokens. */
@Injectable()
export class ClientTokens {
  constructor(
    private readonly registrations: PushRegistrationRepository,
    private readonly devices: ClientDevicesService,
    private readonly database: Database,
  ) {}

  apps(platform: PhonePlatform, before: Date): Promise<AgedApp[]> {
    return this.registrations.apps(platform, before);
  }

  /** Takes old tokens from the push service and from all devices. */
  ageOut(old: OldTokens, limit: number): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const removed = await this.registrations.removeOld(transaction, old, limit);
      if (removed.length > 0) await this.devices.clearTokens(transaction, removed);
      return removed.length;
    });
  }

  /**
   * Removes dead tokens from the push service and from all devices, unless they were registered again since. Resolves with
   * the platform of each.
   */
  async removeDead(transaction: Transaction, dead: readonly DeadToken[]): Promise<PhonePlatform[]> {
    const removed = await this.registrations.removeDead(transaction, dead);
    if (removed.length > 0) await this.devices.clearTokens(transaction, removed);
    const relayed = dead.flatMap(({ relayed: token, since }) =>
      token === undefined ? [] : { ...token, since },
    );
    if (relayed.length > 0) await this.devices.clearTokens(transaction, relayed);
    return [...removed, ...dead.filter((token) => token.relayed !== undefined)].map(
      ({ platform }) => platform,
    );
  }

  /** Stores Apple's environments; ids of other devices are ignored. */
  learn(learnt: readonly LearntEnvironment[], session: Session): Promise<void> {
    return this.registrations.learn(learnt, session);
  }
}
