import { Injectable } from '@nestjs/common';
import { Database, type Prisma } from '#database';

const person = {
  id: true,
  email: true,
  fullName: true,
  isSystemBot: true,
} as const satisfies Prisma.UserSelect;

const shown = (userId: number) =>
  ({
    id: true,
    realmId: true,
    senderId: true,
    sender: { select: { ...person, realm: { select: { subdomain: true } } } },
    channelId: true,
    channel: { select: { id: true, name: true, isPrivate: true, isHistoryPublic: true } },
    conversationId: true,
    conversation: {
      select: { members: { select: { user: { select: person } }, orderBy: { userId: 'asc' } } },
    },
    topic: true,
    content: true,
    rendered: true,
    client: true,
    sentAt: true,
    recipients: {
      where: { userId },
      select: { isRead: true, isStarred: true, isMentioned: true, isWildcardMentioned: true },
    },
  }) as const satisfies Prisma.MessageSelect;

type MessageRow = Prisma.MessageGetPayload<{ select: ReturnType<typeof shown> }>;

/** Somebody as messages tell of them. */
export type MessagePerson = Prisma.UserGetPayload<{ select: typeof person }>;

/** A message with its place, and as one account has it. */
export interface StoredMessage extends Omit<MessageRow, 'conversation' | 'recipients'> {
  /** Who takes part in its direct conversation, by their ids; null for a message of a channel. */
  readonly people: readonly MessagePerson[] | null;
  /** What the account has of it; null when it was not sent to them. */
  readonly received: MessageRow['recipients'][number] | null;
}

@Injectable()
export class MessageRepository {
  constructor(private readonly database: Database) {}

  /** A message of the organisation, as the account has it; null when there is none. */
  async find(realmId: number, messageId: number, userId: number): Promise<StoredMessage | null> {
    const found = await this.database.prisma.message.findFirst({
      where: { id: messageId, realmId },
      select: shown(userId),
    });
    if (found === null) return null;
    const { conversation, recipients, ...message } = found;
    return {
      ...message,
      people: conversation?.members.map(({ user }) => user) ?? null,
      received: recipients[0] ?? null,
    };
  }
}
