import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { realmHost } from '#core';
import { type Acquaintance, substituteIdentity, VisibleUsersRepository } from '#guest-access';
import { plainTextOf, renderMarkdown } from '#markdown';
import {
  type MessageTrigger,
  type NotifiedMessage,
  type PushContent,
  cutText,
} from '#push-transport';
import { avatarUrl } from '#users';
import { PUSH_EXTERNAL_URL } from '../external-url.js';
import { gathered } from '../gather.js';
import type { NotificationContent } from '../notification-content.js';
import { MessageContentRepository, type UnreadMessage } from './message-content.repository.js';

/** DI token: whether notifications tell nothing of what messages say. */
export const PUSH_REDACTS_CONTENT = Symbol('PushRedactsContent');

const REDACTED_TEXT = 'New message';

/** How much of a message is read, in UTF-16 units: more than a notification shows. */
const LONGEST_READ = 1000;
/** The recipients of a message come in many batches, and are tried again. */
const MOST_TEXTS_KEPT = 5000;

type MessageContent = NotificationContent & { readonly kind: 'message' };

/** Whom a notification is for, and on which of their devices. */
export interface Addressee {
  readonly userId: number;
  readonly deviceId: number;
}

/** Reads what a notification says, at the moment before it is sent. */
@Injectable()
export class ReadContent {
  /** By message; the words of a message never change. */
  readonly #texts = new LRUCache<number, string>({ max: MOST_TEXTS_KEPT });
  readonly #isHidden = gathered((pairs: readonly Acquaintance[]) => this.#areHidden(pairs));

  constructor(
    private readonly messages: MessageContentRepository,
    private readonly visibleUsers: VisibleUsersRepository,
    @Inject(PUSH_REDACTS_CONTENT) private readonly isRedacted: boolean,
    @Inject(PUSH_EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  /**
   * What an account is to be told on a device; null when it is not any more, since the account has read the
   * message or may not read it, or none of what is to vanish has come to the device. Calls of the same moment
   * share a statement, and a test needs none.
   */
  async of(
    { userId, deviceId }: Addressee,
    content: NotificationContent,
  ): Promise<PushContent | null> {
    if (content.kind === 'remove') {
      const { messageIds } = content;
      return (await this.messages.wereTold({ userId, deviceId, messageIds })) ? content : null;
    }
    if (content.kind === 'test') return content;
    const { messageId, groupId = null } = content;
    const message = await this.messages.unread({ userId, messageId, groupId });
    if (message === null) return null;
    const sender = await this.#senderOf(userId, message);
    return {
      kind: 'message',
      trigger: triggerOf(content, message),
      message: {
        id: messageId,
        sentAt: Math.floor(message.sentAt.getTime() / 1000),
        text: this.#textOf(message),
        sender,
        place: placeOf(message),
      },
    };
  }

  #textOf({ id, words }: UnreadMessage): string {
    if (this.isRedacted) return REDACTED_TEXT;
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    const plain = plainTextOf(words.rendered ?? renderMarkdown(words.content), LONGEST_READ);
    // A line, or a link around nothing: an empty notification would tell less than how it was written.
    const text = cutText(plain === '' ? words.content.trim() : plain);
    this.#texts.set(id, text);
    return text;
  }

  async #senderOf(userId: number, message: UnreadMessage): Promise<NotifiedMessage['sender']> {
    const { sender, isSenderInQuestion, subdomain } = message;
    const isHidden =
      isSenderInQuestion && (await this.#isHidden({ viewerId: userId, otherId: sender.id }));
    const host = realmHost(this.externalUrl, subdomain);
    const shown = isHidden ? { id: sender.id, ...substituteIdentity(sender.id, host) } : sender;
    return { ...shown, avatarUrl: avatarUrl(shown.email) };
  }

  async #areHidden(pairs: readonly Acquaintance[]): Promise<boolean[]> {
    const hidden = await this.visibleUsers.hiddenAmong(pairs);
    const names = new Set(hidden.map(nameOf));
    return pairs.map((pair) => names.has(nameOf(pair)));
  }
}

const nameOf = ({ viewerId, otherId }: Acquaintance): string => `${viewerId} ${otherId}`;

/** A group that is not there any more has called as if by name. */
function triggerOf({ trigger }: MessageContent, { group }: UnreadMessage): MessageTrigger {
  if (trigger !== 'group_mention') return { kind: trigger };
  return group === null ? { kind: 'mention' } : { kind: 'group_mention', group };
}

const placeOf = ({ channel, topic, words }: UnreadMessage): NotifiedMessage['place'] =>
  channel === null
    ? { kind: 'direct', people: words.people ?? [] }
    : { kind: 'channel', channelId: channel.id, channelName: channel.name, topic };
