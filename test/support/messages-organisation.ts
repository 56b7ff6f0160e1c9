import { randomBytes } from 'node:crypto';
import { roles } from '#directory/roles';
import type { Reply } from './http-request.js';
import { addOrganisation, type Organisation, type Person } from './organisation.js';
import type { System } from './start-system.js';

/** The properties of a channel that a test may set. */
interface ChannelTraits {
  readonly name?: string;
  readonly isPrivate?: boolean;
  readonly isWebPublic?: boolean;
  readonly isHistoryPublic?: boolean;
  readonly topicsPolicy?: string;
  readonly archivedAt?: Date;
  readonly canAddSubscribersId?: number;
  readonly canCreateTopicId?: number;
  readonly canDeleteAnyMessageId?: number;
  readonly canSendMessageId?: number;
  readonly canSubscribeId?: number;
}

/** Channels with different readers. */
export const kindsOfChannel: [string, ChannelTraits][] = [
  ['a public channel', {}],
  ['a web-public channel', { isWebPublic: true }],
  ['an archived channel', { archivedAt: new Date() }],
  ['a private channel', { isPrivate: true }],
  ['a private channel with its history', { isPrivate: true, isHistoryPublic: true }],
  ['a public channel without its history', { isHistoryPublic: false }],
];

/** The flags of a message for one account. */
interface Received {
  readonly isRead: boolean;
  readonly isStarred: boolean;
  readonly isMentioned: boolean;
  readonly isWildcardMentioned: boolean;
  readonly isCollapsed: boolean;
  readonly hidesLinkPreviews: boolean;
  readonly isHistorical: boolean;
}

/** Adds channels, groups, people and files to an organisation, and reads its stored messages. */
export class Correspondence {
  constructor(
    private readonly system: System,
    readonly organisation: Organisation,
  ) {}

  /** Creates a new organisation. */
  static async in(system: System): Promise<Correspondence> {
    return new Correspondence(system, await addOrganisation(system));
  }

  get #prisma() {
    return this.system.database.database.prisma;
  }

  async addChannel(
    subscribers: readonly Person[] = [],
    traits: ChannelTraits = {},
  ): Promise<{ readonly id: number; readonly name: string }> {
    const { id, name } = await this.#prisma.channel.create({
      data: {
        realmId: this.organisation.id,
        name: `channel ${randomBytes(4).toString('hex')}`,
        ...traits,
        subscriptions: { create: subscribers.map((person) => ({ userId: person.id })) },
      },
    });
    return { id, name };
  }

  async addGroup(
    members: readonly Person[],
    traits: { readonly name?: string; readonly canMentionId?: number } = {},
  ): Promise<number> {
    const { id } = await this.#prisma.userGroup.create({
      data: {
        realmId: this.organisation.id,
        ...traits,
        members: { create: members.map((person) => ({ userId: person.id })) },
      },
    });
    return id;
  }

  /** Adds many people with one statement; they cannot sign in. */
  async addCrowd(count: number, first = 0): Promise<{ readonly id: number }[]> {
    return this.#prisma.user.createManyAndReturn({
      data: Array.from({ length: count }, (_, index) => {
        const number = first + index;
        const email = `crowd${number}@${this.organisation.host}`;
        return {
          realmId: this.organisation.id,
          deliveryEmail: email,
          email,
          fullName: `Crowd ${number}`,
          role: roles.member,
          apiKeyHash: new Uint8Array(randomBytes(32)),
          apiKeySealed: new Uint8Array(),
        };
      }),
      select: { id: true },
    });
  }

  /** Adds the row of an uploaded file; resolves with its id and link. */
  async addFile(owner: Person): Promise<{ readonly id: number; readonly url: string }> {
    const pathId = `${this.organisation.id}/ab/${randomBytes(12).toString('hex')}/plan-für-Mai.png`;
    const { id } = await this.#prisma.attachment.create({
      data: {
        realmId: this.organisation.id,
        ownerId: owner.id,
        pathId,
        fileName: 'plan für Mai.png',
        contentType: 'image/png',
        sizeBytes: 3n,
      },
    });
    return { id, url: `/user_uploads/${pathId}` };
  }

  /** The recipients of a message with their flags, by id. */
  async received(messageId: unknown): Promise<ReadonlyMap<number, Received>> {
    const rows = await this.#prisma.userMessage.findMany({
      where: { messageId: Number(messageId) },
      omit: { messageId: true, isPushed: true, isMovedIn: true },
      orderBy: { userId: 'asc' },
    });
    return new Map(rows.map(({ userId, ...flags }) => [userId, flags]));
  }

  /** The ids of the files that a message links. */
  async linkedFiles(messageId: unknown): Promise<number[]> {
    const rows = await this.#prisma.attachmentMessage.findMany({
      where: { messageId: Number(messageId) },
      orderBy: { attachmentId: 'asc' },
    });
    return rows.map(({ attachmentId }) => attachmentId);
  }
}

export const sendToChannel = (
  sender: Person,
  channel: { readonly id: number },
  content = 'Hello',
  topic = 'lunch',
): Promise<Reply> =>
  sender.api.post('/messages', { type: 'channel', to: channel.id, topic, content });

export const sendToPeople = (
  sender: Person,
  people: readonly { readonly id: number }[],
  content = 'Hello',
): Promise<Reply> =>
  sender.api.post('/messages', { type: 'direct', to: people.map(({ id }) => id), content });
