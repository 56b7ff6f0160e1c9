import { Inject, Injectable, Logger } from '@nestjs/common';
import { errorText } from '#platform/core';
import { DeviceRepository } from '#push/devices';
import { PUSH_OBSERVER, type PushObserver } from '#push/observability';
import type { ProviderAnswer, RelayedAccount } from '#push/providers';
import { RealmPushStatuses, RealmUploads } from '#push/service';
import type { DueDelivery } from './delivery-claim.repository.js';

/** Codes of the push service for an organisation that it does not send for. */
const SWITCHING_OFF: ReadonlySet<string> = new Set([
  'MISSING_REMOTE_REALM',
  'PUSH_NOTIFICATIONS_DISALLOWED',
]);

/** On a server that relays: stores the parts of an answer of the push service that are no outcome of a delivery. */
@Injectable()
export class RelayedAnswers {
  readonly #logger = new Logger(RelayedAnswers.name);

  constructor(
    private readonly devices: DeviceRepository,
    private readonly statuses: RealmPushStatuses,
    private readonly uploads: RealmUploads,
    @Inject(PUSH_OBSERVER) private readonly observer: PushObserver,
  ) {}

  /** Never rejects: the service repeats all of it in its next answer. */
  async store(due: DueDelivery, account: RelayedAccount, answer: ProviderAnswer): Promise<void> {
    try {
      if (answer.kind === 'accepted' && answer.relayed !== undefined) {
        const { realm, deletedTokens } = answer.relayed;
        await this.#remove(due, deletedTokens);
        await this.statuses.answered(account.realmUuid, realm);
      } else if (answer.kind === 'refused' && SWITCHING_OFF.has(answer.reason ?? '')) {
        await this.statuses.switchOff(due.realm.id);
        if (answer.reason === 'MISSING_REMOTE_REALM') await this.uploads.hasten();
      }
    } catch (error) {
      this.#logger.warn(`An answer of the push service was not stored: ${errorText(error)}`);
    }
  }

  async #remove({ userId, readAt }: DueDelivery, tokens: readonly string[]): Promise<void> {
    if (tokens.length === 0) return;
    const removed = await this.devices.removeDeleted(userId, tokens, new Date(readAt));
    for (const platform of removed) this.observer.pruned(platform, 1);
  }
}
