import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { namedTopic } from '#chat/channels';
import { avatarUrl } from '#directory/avatars';
import {
  substituteIdentity,
  type VisibilityPair,
  VisibleUsersRepository,
} from '#directory/guest-access';
import { batched, realmHost, realmUrl } from '#platform/core';
import { plainTextOf, renderMarkdown } from '#platform/markdown';
import {
  cutText,
  type MessageTrigger,
  type NotifiedMessage,
  type PushContent,
} from '#push/providers';
import { UnwantedMessages } from './decision/unwanted-messages.js';
import {
  MessageContentRepository,
  type MessageRequest,
  type SentMessage,
  type UnreadMessage,
} from './message-content.repository.js';
import type { NotificationContent } from './notification.js';

/** DI token: the URL of the server; those of its organisations are derived from it. */
export const PUSH_EXTERNAL_URL = Symbol('PushExternalUrl');

/** DI token: whether notifications omit the text of messages. */
export const PUSH_REDACTS_CONTENT = Symbol('PushRedactsContent');

const REDACTED_TEXT = 'New message';

/** The rendered part of a message in UTF-16 units; a notification shows less. */
const MAX_READ = 1000;
/** The recipients of a message come in many batches, and are retried. */
const MAX_TEXTS_KEPT = 5000;

/** The settings of an account may change while its message is taken back. */
const MAX_ROUNDS = 3;

type MessageContent = NotificationContent & { readonly kind: 'message' };
/** A content that does not depend on its device. */
type ReadContent = Exclude<NotificationContent, { kind: 'confirm' }>;

/** The account and the device that a notification is for. */
interface Addressee {
  readonly userId: number;
  readonly deviceId: number;
  /** The place of the notification in the order of the deliveries to the device. */
  readonly sequence: number;
  /** Attempts made before. */
  readonly attempts: number;
  /** When it was accepted, and now; UNIX milliseconds of one clock. */
  readonly acceptedAt: number;
  readonly databaseNow: number;
}

/** Reads the content of a notification right before it is sent. */
@Injectable()
export class ContentReader {
  /** By message and the time of its last change. */
  readonly #texts = new LRUCache<string, string>({ max: MAX_TEXTS_KEPT });
  readonly #isHidden = batched((pairs: readonly VisibilityPair[]) => this.#areHidden(pairs));

  constructor(
    private readonly messages: MessageContentRepository,
    private readonly visibleUsers: VisibleUsersRepository,
    private readonly unwanted: UnwantedMessages,
    @Inject(PUSH_REDACTS_CONTENT) private readonly isRedacted: boolean,
    @Inject(PUSH_EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  /**
   * The content for a device. Null when there is nothing to show: the account has read the message or must not
   * read it any more, a newer notification shows the same, or it removes messages of which the device shows none, or newer
   * notifications only. Calls of the same moment share a statement; a test needs none.
   */
  async read(addressee: Addressee, content: ReadContent): Promise<PushContent | null> {
    const { userId, deviceId, sequence, attempts } = addressee;
    if (content.kind === 'remove') {
      const removal = { userId, deviceId, sequence, attempts, messageIds: content.messageIds };
      const messageIds = await this.messages.shownBefore(removal);
      return messageIds.length === 0 ? null : { ...content, messageIds };
    }
    if (content.kind === 'test') return content;
    const { messageId, groupId = null } = content;
    const message = await this.#wanted({ userId, messageId, groupId });
    if (message === null) return null;
    if (mayBeRepeated(addressee, message)) {
      const notified = { userId, deviceId, sequence, messageId };
      if (await this.messages.isNotifiedAgain(notified)) return null;
    }
    const sender = await this.#senderOf(userId, message);
    return {
      kind: 'message',
      trigger: triggerOf(content, message),
      isPassive: content.isPassive,
      message: {
        id: messageId,
        sentAt: message.sent.sentAt,
        text: this.#textOf(message.sent),
        sender,
        place: placeOf(message.sent),
      },
    };
  }

  /** Null if there is none. A message that the account does not want by its settings of now is taken back. */
  async #wanted(request: MessageRequest): Promise<UnreadMessage | null> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const message = await this.messages.unread(request);
      if (message === null || message.isWanted) return message;
      await this.unwanted.takeBack(request);
    }
    return null;
  }

  #textOf({ id, editedAt, rendered, content }: SentMessage): string {
    if (this.isRedacted) return REDACTED_TEXT;
    const key = `${id} ${editedAt ?? ''}`;
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const plain = plainTextOf(rendered ?? renderMarkdown(content).html, MAX_READ);
    // A message may render to no text, such as a rule or an empty link: its source is shown instead.
    const text = cutText(plain === '' ? content.trim() : plain);
    this.#texts.set(key, text);
    return text;
  }

  async #senderOf(
    userId: number,
    { sent: { sender, subdomain }, needsVisibilityCheck }: UnreadMessage,
  ): Promise<NotifiedMessage['sender']> {
    const isHidden =
      needsVisibilityCheck && (await this.#isHidden({ viewerId: userId, otherId: sender.id }));
    const host = realmHost(this.externalUrl, subdomain);
    const identity = isHidden ? substituteIdentity(sender.id, host) : sender;
    const picture = realmUrl(this.externalUrl, subdomain) + avatarUrl(sender.id);
    return { avatarUrl: picture, ...identity, id: sender.id };
  }

  async #areHidden(pairs: readonly VisibilityPair[]): Promise<boolean[]> {
    const hidden = await this.visibleUsers.hiddenAmong(pairs);
    const names = new Set(hidden.map(nameOf));
    return pairs.map((pair) => names.has(nameOf(pair)));
  }
}

/** Most notifications are sent before anything else can happen, and do without a further statement. */
const PROMPT_MS = 10_000;

/** Whether a message may have been taken back and notified again since the notification was accepted. */
const mayBeRepeated = (
  { attempts, acceptedAt, databaseNow }: Addressee,
  { sent }: UnreadMessage,
): boolean => attempts > 0 || sent.editedAt !== null || databaseNow - acceptedAt > PROMPT_MS;

const nameOf = ({ viewerId, otherId }: VisibilityPair): string => `${viewerId} ${otherId}`;

/** The mention of a group that was removed becomes a plain mention. */
function triggerOf({ trigger }: MessageContent, { group }: UnreadMessage): MessageTrigger {
  if (trigger !== 'group_mention') return { kind: trigger };
  return group === null ? { kind: 'mention' } : { kind: 'group_mention', group };
}

const placeOf = ({ channel, topic, people }: SentMessage): NotifiedMessage['place'] =>
  channel === null
    ? { kind: 'direct', people: people ?? [] }
    : {
        kind: 'channel',
        channelId: channel.id,
        channelName: channel.name,
        topic: namedTopic(topic),
      };
