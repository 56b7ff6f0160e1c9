import { Injectable } from '@nestjs/common';
import {
  type CapabilityEvents,
  DeclaresEvents,
  type EventType,
  isCapable,
  type StateRequest,
} from '#events/declarations';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import { toEmojiResponse, toOneEmojiResponse } from './emoji.response.js';
import { type RealmEmoji, RealmEmojiRepository } from './realm-emoji.repository.js';

/** The stored body: the change, and the list after it for clients that know no single changes. */
type Change = (
  | { readonly op: 'add'; readonly emoji: object }
  | {
      readonly op: 'update_one';
      readonly emoji_id: string;
      readonly data: { readonly deactivated: boolean };
    }
) & { readonly realm_emoji: object };

const formsOf: NonNullable<EventType['formsOf']> = ({ realm_emoji, ...change }, options) => [
  isCapable(options, 'individual_emoji_changes') ? change : { op: 'update', realm_emoji },
];

/** The custom emoji of `POST /register`, and the events of their changes. All accounts of the organisation get them. */
@Injectable()
@DeclaresEvents()
export class EmojiEvents implements CapabilityEvents {
  readonly types = [{ type: 'realm_emoji', formsOf }];
  readonly fetchTypes = ['realm_emoji'];

  constructor(
    private readonly emoji: RealmEmojiRepository,
    private readonly log: EventLog,
  ) {}

  async readState({ caller, snapshot }: StateRequest) {
    const realmId = caller.realm.id;
    return { realm_emoji: toEmojiResponse(realmId, await this.emoji.list(realmId, snapshot)) };
  }

  /** Adds the event of a new emoji. */
  async added(transaction: Transaction, realmId: number, emoji: RealmEmoji): Promise<void> {
    const list = await this.#list(transaction, realmId);
    const one = toOneEmojiResponse(realmId, emoji);
    this.#append(transaction, realmId, { op: 'add', emoji: one, realm_emoji: list });
  }

  /** Adds the event of a deactivated emoji. */
  async deactivated(transaction: Transaction, realmId: number, emojiId: number): Promise<void> {
    this.#append(transaction, realmId, {
      op: 'update_one',
      emoji_id: String(emojiId),
      data: { deactivated: true },
      realm_emoji: await this.#list(transaction, realmId),
    });
  }

  async #list(transaction: Transaction, realmId: number): Promise<object> {
    return toEmojiResponse(realmId, await this.emoji.list(realmId, transaction));
  }

  #append(transaction: Transaction, realmId: number, body: Change): void {
    const audience = { everyone: 'all' } as const;
    this.log.append(transaction, { realmId, type: 'realm_emoji', body, audience });
  }
}
