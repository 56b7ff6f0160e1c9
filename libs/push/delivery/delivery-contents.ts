import { Inject, Injectable } from '@nestjs/common';
import { DeviceKeys } from '#push/devices';
import { encryptPayload } from '#push/encryption';
import { ContentReader } from '#push/notifications';
import {
  type EncryptedContent,
  type OutgoingPush,
  plainPayload,
  type PushContent,
  type Recipient,
} from '#push/providers';
import type { DueDelivery, Encryption } from './delivery-claim.repository.js';
import { type DeliveryRecipient, RECIPIENTS, type Recipients } from './recipients.js';

/** The parts of a push that are read when it is sent. */
export type DeliveryContent = DeliveryRecipient & Pick<OutgoingPush, 'content'>;

/** Makes the content of a push right before it is sent; for a client device encrypted, and stored nowhere. */
@Injectable()
export class DeliveryContents {
  constructor(
    private readonly content: ContentReader,
    private readonly keys: DeviceKeys,
    @Inject(RECIPIENTS) private readonly recipients: Recipients,
  ) {}

  /**
   * Null when there is nothing to show any more, or nobody to show it to. `awaits_removal`: see Recipients. Rejects if the push
   * key of the device cannot be opened.
   */
  async read(due: DueDelivery): Promise<DeliveryContent | 'awaits_removal' | null> {
    const [content, to] = await Promise.all([
      this.content.read(due, due.content),
      this.recipients.of(due),
    ]);
    if (content === null || to === null) return null;
    if (to === 'awaits_removal') return to;
    const { encryption } = due;
    return {
      content:
        encryption === null ? content : this.#encrypted(due, encryption, to.recipient, content),
      ...to,
    };
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
