import { Inject, Injectable } from '@nestjs/common';
import { DeviceKeys } from '#push/devices';
import { encryptPayload } from '#push/encryption';
import { ContentReader, PUSH_EXTERNAL_URL } from '#push/notifications';
import {
  type EncryptedContent,
  type OutgoingPush,
  plainPayload,
  type PushContent,
  type Recipient,
  recipientOf,
  type RelayedAccount,
} from '#push/providers';
import { RELAY_SETTINGS, RelayIdentityRepository, type RelaySettings } from '#push/relay';
import type { DueDelivery, Encryption } from './delivery-claim.repository.js';

/** The parts of a push that are read when it is sent. */
export type DeliveryContent = Pick<OutgoingPush, 'recipient' | 'content' | 'relayedFor'>;

const hasNoPhone = ({ androidTokens, appleTokens }: RelayedAccount): boolean =>
  androidTokens.length === 0 && appleTokens.length === 0;

/** Makes the content of a push right before it is sent; for a client device encrypted, and stored nowhere. */
@Injectable()
export class DeliveryContents {
  /** One for all devices of a notification. */
  readonly #recipients = new WeakMap<DueDelivery['realm'], Recipient>();

  constructor(
    private readonly content: ContentReader,
    private readonly keys: DeviceKeys,
    @Inject(PUSH_EXTERNAL_URL) private readonly externalUrl: URL,
    @Inject(RELAY_SETTINGS) private readonly relay: RelaySettings | null,
    private readonly identities: RelayIdentityRepository,
  ) {}

  /**
   * Null when there is nothing to show any more. `awaits_removal` while the push service has yet to forget a phone of the
   * account, because it sends to all phones that it has. Rejects if the push key of the device cannot be opened.
   */
  async read(due: DueDelivery): Promise<DeliveryContent | 'awaits_removal' | null> {
    const [content, account] = await Promise.all([
      this.content.read(due, due.content),
      this.relay === null ? undefined : this.identities.account(due),
    ]);
    if (content === null || account === null) return null;
    const recipient = this.#recipientOf(due);
    const relayedFor = account && { ...account, platform: due.platform };
    const { encryption } = due;
    if (encryption === null && account !== undefined) {
      if (hasNoPhone(account)) return null;
      // The service sends a test to its phone only.
      if (account.hasRemovals && content.kind !== 'test') return 'awaits_removal';
    }
    return {
      recipient,
      content: encryption === null ? content : this.#encrypted(due, encryption, recipient, content),
      ...(relayedFor && { relayedFor }),
    };
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

  #recipientOf(due: DueDelivery): Recipient {
    const known = this.#recipients.get(due.realm);
    if (known !== undefined) return known;
    const recipient = recipientOf(this.externalUrl, due);
    this.#recipients.set(due.realm, recipient);
    return recipient;
  }
}
