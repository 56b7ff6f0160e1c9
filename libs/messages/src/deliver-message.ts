import { Injectable } from '@nestjs/common';
import { ComposeMessage } from './compose-message.js';
import type { MessagePlace } from './message-place.rules.js';
import { StoreMessage } from './store-message.js';

/** A message that the server sends of its own accord, or on behalf of an account. */
export interface Delivery {
  readonly senderId: number;
  /** The organisation of those who receive it; a bot of the server's belongs to another. */
  readonly realmId: number;
  readonly place: MessagePlace;
  /** Markdown. */
  readonly content: string;
  readonly client: string;
}

/** Delivers a message without asking whether its sender may send it: that is for whoever calls. */
@Injectable()
export class DeliverMessage {
  constructor(
    private readonly compose: ComposeMessage,
    private readonly store: StoreMessage,
  ) {}

  /** Resolves with the message's id. Rejects with `channelIdDoesNotExist` where the channel is gone. */
  async execute({ senderId, realmId, content, place, client }: Delivery): Promise<number> {
    const author = { userId: senderId, realmId };
    const composed = await this.compose.execute(author, content);
    return this.store.execute({ author, place, composed, client, isReadBySender: true });
  }
}
