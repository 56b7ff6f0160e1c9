import { Injectable } from '@nestjs/common';
import { ConfirmationTokens } from '#push/devices';
import { ContentReader, OffScreenMessagesRepository } from '#push/notifications';
import type { OutgoingPush } from '#push/providers';
import type { ClaimedSubscription } from './claimed-subscription.js';
import type { DueDelivery } from './delivery-claim.repository.js';

/** The parts of a push to a subscription of Web Push that are read when it is sent. */
type SubscriptionContent = Pick<OutgoingPush, 'content' | 'web'>;

/** Makes the content of a push to a subscription of Web Push; its transport encrypts it. */
@Injectable()
export class SubscriptionContents {
  constructor(
    private readonly content: ContentReader,
    private readonly messages: OffScreenMessagesRepository,
    private readonly tokens: ConfirmationTokens,
  ) {}

  /** Null when there is nothing to show any more. Rejects if the token of the subscription cannot be opened. */
  async read(
    due: DueDelivery,
    { confirmation, ...subscription }: ClaimedSubscription,
  ): Promise<SubscriptionContent | null> {
    const { content: stored, deviceId, userId } = due;
    const web = { ...subscription, readMessageIds: [] };
    if (stored.kind === 'confirm') {
      const token = this.tokens.open(confirmation);
      return { content: { kind: 'confirm', subscriptionId: deviceId, token }, web };
    }
    const content = await this.content.read(due, stored);
    if (content === null) return null;
    // Others get removals.
    if (content.kind !== 'message' || subscription.kind !== 'browser') return { content, web };
    return { content, web: { ...web, readMessageIds: await this.messages.offScreen(userId) } };
  }
}
