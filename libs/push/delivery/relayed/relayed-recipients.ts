import { Injectable } from '@nestjs/common';
import type { RelayedAccount } from '#push/providers';
import { RelayIdentityRepository } from '#push/relay';
import type { DueDelivery } from '../delivery-claim.repository.js';
import { type DeliveryRecipient, DirectRecipients, type Recipients } from '../recipients.js';

/** On a server that relays: the recipients with their identities at the push service. */
@Injectable()
export class RelayedRecipients implements Recipients {
  constructor(
    private readonly recipients: DirectRecipients,
    private readonly identities: RelayIdentityRepository,
  ) {}

  async of(due: DueDelivery): Promise<DeliveryRecipient | 'awaits_removal' | null> {
    if (due.platform === 'web') return this.recipients.of(due);
    const account = await this.identities.account(due);
    if (account === null) return null;
    if (due.encryption === null) {
      if (hasNoDevice(account)) return null;
      // The service sends a test to its device only.
      if (account.hasRemovals && due.content.kind !== 'test') return 'awaits_removal';
    }
    const { platform } = due;
    return {
      recipient: this.recipients.recipientOf(due),
      relayedFor: { ...account, platform },
    };
  }
}

const hasNoDevice = ({ androidTokens, appleTokens }: RelayedAccount): boolean =>
  androidTokens.length === 0 && appleTokens.length === 0;
