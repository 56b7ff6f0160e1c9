import { Inject, Injectable } from '@nestjs/common';
import { PUSH_EXTERNAL_URL } from '#push/notifications';
import { type OutgoingPush, type Recipient, recipientOf } from '#push/providers';
import type { DueDelivery } from './delivery-claim.repository.js';

/** The recipient of a push: the account, and on a server that relays also its identity at the push service. */
export type DeliveryRecipient = Pick<OutgoingPush, 'recipient' | 'relayedFor'>;

/** Finds the recipients of deliveries right before they are sent. */
export interface Recipients {
  /**
   * Null if there is nobody to send to any more. `awaits_removal` while the push service has yet to forget a device of the
   * account, because it sends to all devices that it has. Rejects when a store is down.
   */
  of(due: DueDelivery): Promise<DeliveryRecipient | 'awaits_removal' | null>;
}

/** DI token of the Recipients. */
export const RECIPIENTS = Symbol('Recipients');

/** The recipients of a server that sends to Apple and Google itself. */
@Injectable()
export class DirectRecipients implements Recipients {
  /** One for all devices of a notification. */
  readonly #recipients = new WeakMap<DueDelivery['realm'], Recipient>();

  constructor(@Inject(PUSH_EXTERNAL_URL) private readonly externalUrl: URL) {}

  of(due: DueDelivery): Promise<DeliveryRecipient> {
    return Promise.resolve({ recipient: this.recipientOf(due) });
  }

  /** The account, as its device knows it. */
  recipientOf(due: DueDelivery): Recipient {
    const known = this.#recipients.get(due.realm);
    if (known !== undefined) return known;
    const recipient = recipientOf(this.externalUrl, due);
    this.#recipients.set(due.realm, recipient);
    return recipient;
  }
}
