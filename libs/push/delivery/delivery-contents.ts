import { Inject, Injectable } from '@nestjs/common';
import { realmUrl } from '#platform/core';
import { DeviceKeys } from '#push/client-devices';
import { encryptPayload } from '#push/encryption';
import { ContentReader, PUSH_EXTERNAL_URL } from '#push/notifications';
import type { EncryptedContent, OutgoingPush, PushContent, Recipient } from '#push/providers';
import type { DueDelivery, Encryption } from './delivery-claim.repository.js';
import { plainPayload } from './encrypted-payload.rules.js';

/** Makes the content of a push right before it is sent; for a client device encrypted, and stored nowhere. */
@Injectable()
export class DeliveryContents {
  /** One for all devices of a notification. */
  readonly #recipients = new WeakMap<DueDelivery['realm'], Recipient>();

  constructor(
    private readonly content: ContentReader,
    private readonly keys: DeviceKeys,
    @Inject(PUSH_EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  /** Null when there is nothing to show any more. Rejects if the push key of the device cannot be opened. */
  async read(due: DueDelivery): Promise<Pick<OutgoingPush, 'recipient' | 'content'> | null> {
    const content = await this.content.read(due, due.content);
    if (content === null) return null;
    const recipient = this.#recipientOf(due);
    if (due.encryption === null) return { recipient, content };
    return { recipient, content: this.#encrypted(due, due.encryption, recipient, content) };
  }

  #encrypted(
    { platform }: DueDelivery,
    { keyId, key }: Encryption,
    recipient: Recipient,
    content: PushContent,
  ): EncryptedContent {
    const plain = plainPayload(recipient, content, { platform, keyId });
    return {
      kind: 'encrypted',
      isSilent: content.kind === 'remove',
      keyId,
      data: encryptPayload(this.keys.open(key), plain),
    };
  }

  #recipientOf({ userId, realm }: DueDelivery): Recipient {
    const known = this.#recipients.get(realm);
    if (known !== undefined) return known;
    const recipient = {
      userId,
      realmId: realm.id,
      realmName: realm.name,
      realmUrl: realmUrl(this.externalUrl, realm.subdomain),
      server: this.externalUrl.host,
    };
    this.#recipients.set(realm, recipient);
    return recipient;
  }
}
