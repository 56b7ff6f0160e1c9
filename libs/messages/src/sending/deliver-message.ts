import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { ComposeMessage } from '../composing/compose-message.js';
import type { MessagePlace } from './message-place.rules.js';
import { StoreMessage } from './store-message.js';

/** A message that one of the server's bots sends. */
export interface Delivery {
  readonly senderId: number;
  /** Who made it necessary: it goes to people of their organisation, and links no name that they may not know of. */
  readonly onBehalfOf: Caller;
  readonly place: MessagePlace;
  /** Markdown. */
  readonly content: string;
  readonly client: string;
  /** Nobody's phone is told of it. */
  readonly isSilent?: boolean;
}

/** Delivers a message without asking whether its sender may send it: that is for whoever calls. */
@Injectable()
export class DeliverMessage {
  constructor(
    private readonly compose: ComposeMessage,
    private readonly store: StoreMessage,
  ) {}

  /** Resolves with the message's id. Rejects with `channelIdDoesNotExist` where the channel is gone. */
  async execute({ senderId, onBehalfOf, content, ...delivery }: Delivery): Promise<number> {
    const author = { userId: senderId, realmId: onBehalfOf.realm.id };
    const composed = await this.compose.execute(onBehalfOf, content);
    return this.store.execute({ ...delivery, author, composed, isReadBySender: true });
  }
}
