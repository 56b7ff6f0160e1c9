import { Inject, Injectable } from '@nestjs/common';
import { ToleratedFailures } from '#platform/core';
import { DeviceRepository } from '#push/devices';
import { PUSH_OBSERVER, type PushObserver } from '#push/observability';
import type { ProviderAnswer } from '#push/providers';
import { RealmAnswers } from '#push/relay';
import type { AnswerListener } from '../answer-listener.js';
import type { DueDelivery } from '../delivery-claim.repository.js';

/** On a server that relays: stores the parts of an answer of the push service that are not the outcome of a delivery. */
@Injectable()
export class RelayedAnswers implements AnswerListener {
  readonly #failures = new ToleratedFailures(RelayedAnswers.name);

  constructor(
    private readonly devices: DeviceRepository,
    private readonly realms: RealmAnswers,
    @Inject(PUSH_OBSERVER) private readonly observer: PushObserver,
  ) {}

  /** Never rejects: the service repeats all of it in its next answer. */
  async answered(due: DueDelivery, answer: ProviderAnswer): Promise<void> {
    if (due.platform === 'web') return;
    try {
      if (answer.kind === 'accepted' && answer.relayed !== undefined) {
        const { realmUuid, realm, deletedTokens } = answer.relayed;
        await this.#remove(due, deletedTokens);
        await this.realms.accepted(realmUuid, realm);
      } else if (answer.kind === 'refused') {
        await this.realms.refused(due.realm.id, answer.reason);
      }
    } catch (error) {
      this.#failures.record(error);
    }
  }

  async #remove({ userId, databaseNow }: DueDelivery, tokens: readonly string[]): Promise<void> {
    if (tokens.length === 0) return;
    const removed = await this.devices.removeDeleted(userId, tokens, new Date(databaseNow));
    for (const platform of removed) this.observer.pruned(platform, 1);
  }
}
