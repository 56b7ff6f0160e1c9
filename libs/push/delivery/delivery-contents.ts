import { Inject, Injectable } from '@nestjs/common';
import { DeviceKeys } from '#push/devices';
import { encryptPayload } from '#push/encryption';
import { BadgeRepository, ContentReader } from '#push/notifications';
import {
  type EncryptedContent,
  type OutgoingPush,
  plainPayload,
  type PushContent,
  type Recipient,
} from '#push/providers';
import type { DueDelivery, Encryption } from './delivery-claim.repository.js';
import { type DeliveryRecipient, RECIPIENTS, type Recipients } from './recipients.js';
import { SubscriptionContents } from './subscription-contents.js';

/** The parts of a push that are read when it is sent. */
export type DeliveryContent = DeliveryRecipient & Pick<OutgoingPush, 'content' | 'web'>;

/** Makes the content of a push right before it is sent; for a client device encrypted, and stored nowhere. */
@Injectable()
export class DeliveryContents {
  constructor(
    private readonly content: ContentReader,
    private readonly keys: DeviceKeys,
    private readonly subscriptions: SubscriptionContents,
    private readonly badges: BadgeRepository,
    @Inject(RECIPIENTS) private readonly recipients: Recipients,
  ) {}

  /**
   * Null when there is nothing to show any more, or nobody to show it to. `awaits_removal`: see Recipients. Rejects if the push
   * key of the device cannot be opened.
   */
  async read(due: DueDelivery): Promise<DeliveryContent | 'awaits_removal' | null> {
    const { encryption, subscription } = due;
    const [read, to] = await Promise.all([
      subscription === null ? this.#ofPhone(due) : this.subscriptions.read(due, subscription),
      this.recipients.of(due),
    ]);
    if (read === null || to === null) return null;
    if (to === 'awaits_removal') return to;
    if (encryption === null || !isPlain(read.content)) return { ...read, ...to };
    return { content: this.#encrypted(due, encryption, to.recipient, read.content), ...to };
  }

  async #ofPhone(due: DueDelivery): Promise<Pick<OutgoingPush, 'content'> | null> {
    // The subscription was removed meanwhile.
    if (due.content.kind === 'confirm') return null;
    const content = await this.content.read(due, due.content);
    if (content === null || content.kind === 'test' || !due.wantsBadge)
      return content && { content };
    return { content: { ...content, badge: await this.badges.count(due.userId) } };
  }

  #encrypted(
    { platform, notificationId }: DueDelivery,
    { keyId, key }: Encryption,
    recipient: Recipient,
    content: PushContent,
  ): EncryptedContent {
    const plain = plainPayload(recipient, content, { platform, keyId, notificationId });
    return {
      kind: 'encrypted',
      isSilent: content.kind === 'remove',
      keyId,
      data: encryptPayload(this.keys.open(key), plain),
    };
  }
}

const isPlain = (content: OutgoingPush['content']): content is PushContent =>
  content.kind === 'test' || content.kind === 'message' || content.kind === 'remove';
