import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { type KeyedRequest, Once, requestDigest } from '#idempotency';
import { AddressChannel } from './address-channel.js';
import { AddressPeople } from './address-people.js';
import { CheckMentions } from '../composing/check-mentions.js';
import { ComposeMessage } from '../composing/compose-message.js';
import { StoreMessage } from './store-message.js';

/** A message as an account asks for it to be sent. */
export interface WantedMessage {
  readonly kind: 'channel' | 'direct';
  /** A channel or people, as JSON text or as plain text. */
  readonly to: string;
  /** Of a message to a channel only. */
  readonly topic: string | undefined;
  readonly content: string;
  readonly client: string;
  readonly isReadBySender: boolean;
  /** The sender's own name for the request; asked for again under it, the message is not sent again. */
  readonly idempotencyKey?: string | undefined;
}

/** Sends a message for an account, where it may. */
@Injectable()
export class SendMessage {
  constructor(
    private readonly addressChannel: AddressChannel,
    private readonly addressPeople: AddressPeople,
    private readonly compose: ComposeMessage,
    private readonly checkMentions: CheckMentions,
    private readonly store: StoreMessage,
    private readonly once: Once,
  ) {}

  /**
   * Resolves with the message's id. Rejects with ApiError for what it may not send, or not there, and with
   * `idempotencyKeyReused` where another message was sent under the key.
   */
  async execute(caller: Caller, wanted: WantedMessage): Promise<number> {
    const { kind, to, topic, content, client, isReadBySender } = wanted;
    const request = requestOf(caller, wanted);
    const sent = await this.once.recall<number>(request);
    if (sent !== null) return sent;
    if (content.trim() === '') throw new ApiError('emptyMessage');
    const place =
      kind === 'channel'
        ? await this.addressChannel.execute(caller, to, topic)
        : await this.addressPeople.execute(caller, to);
    const composed = await this.compose.execute(caller, content);
    await this.checkMentions.execute(caller, composed.called);
    const author = { userId: caller.userId, realmId: caller.realm.id };
    return this.store.execute({ author, place, composed, client, isReadBySender, request });
  }
}

/** The same request from another program, or from a later version of one, is still the same. */
function requestOf(
  { userId }: Caller,
  { idempotencyKey: key, client: _client, ...message }: WantedMessage,
): KeyedRequest | null {
  return key === undefined
    ? null
    : { userId, key, digest: requestDigest('POST /messages', message) };
}
