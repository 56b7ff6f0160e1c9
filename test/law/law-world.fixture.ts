import { roles } from '#directory/roles';
import type { SeededRandom } from '#test/seeded-random';
import { sendRequest } from '#test/http-request';
import { Correspondence } from '#test/messages-organisation';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import type { System } from '#test/start-system';
import { addGroup, systemGroupIds } from '#test/user-groups';

/** An account of the organisation that sends requests and has clients. */
export interface Actor {
  person: Person;
  readonly role: number;
  /** Requests may deactivate it. */
  readonly isExpendable: boolean;
}

/** What exists in the organisation: the values of requests are drawn from it. */
interface Existing {
  readonly users: readonly {
    readonly id: number;
    readonly fullName: string;
    readonly isActive: boolean;
    readonly isBot: boolean;
  }[];
  readonly channels: readonly {
    readonly id: number;
    readonly name: string;
    readonly isPrivate: boolean;
    readonly archivedAt: Date | null;
  }[];
  readonly folders: readonly { readonly id: number; readonly archivedAt: Date | null }[];
  /** The active ones. */
  readonly subscriptions: readonly { readonly userId: number; readonly channelId: number }[];
  readonly groups: readonly { readonly id: number; readonly isSystem: boolean }[];
  /** The newest messages. */
  readonly messages: readonly {
    readonly id: number;
    readonly senderId: number;
    readonly channelId: number | null;
    readonly topic: string;
  }[];
  readonly drafts: readonly { readonly id: number; readonly userId: number }[];
  readonly scheduled: readonly { readonly id: number; readonly userId: number }[];
  readonly snippets: readonly { readonly id: number; readonly userId: number }[];
  readonly reactions: readonly {
    readonly messageId: number;
    readonly userId: number;
    readonly emojiName: string;
  }[];
  readonly mutes: readonly { readonly userId: number; readonly mutedUserId: number }[];
  readonly emoji: readonly { readonly name: string; readonly isDeactivated: boolean }[];
  readonly linkifiers: readonly { readonly id: number }[];
  readonly playgrounds: readonly { readonly id: number }[];
  /** Those of the current API keys. */
  readonly clientDevices: readonly { readonly id: number; readonly userId: number }[];
  readonly profileFields: readonly { readonly id: number; readonly fieldType: number }[];
  readonly files: readonly {
    readonly id: number;
    readonly ownerId: number;
    readonly pathId: string;
  }[];
}

const NEWEST_MESSAGES = 40;

/** A small organisation with accounts of all roles, bots, groups, and channels of all kinds. */
export class LawWorld {
  /** Current since the last call of `look`. */
  existing: Existing = {
    users: [],
    channels: [],
    folders: [],
    subscriptions: [],
    groups: [],
    messages: [],
    drafts: [],
    scheduled: [],
    snippets: [],
    reactions: [],
    mutes: [],
    emoji: [],
    linkifiers: [],
    playgrounds: [],
    clientDevices: [],
    profileFields: [],
    files: [],
  };
  #number = 0;

  private constructor(
    readonly system: System,
    readonly organisation: Organisation,
    readonly actors: readonly Actor[],
  ) {}

  static async in(system: System): Promise<LawWorld> {
    const organisation = await addOrganisation(system);
    const actors: Actor[] = [];
    const add = async (role: keyof typeof roles, isExpendable = false) => {
      const person = await organisation.addPerson({ role: roles[role] });
      actors.push({ person, role: roles[role], isExpendable });
      return person;
    };
    const owner = await add('owner');
    await add('administrator');
    await add('moderator');
    const member = await add('member');
    await add('member', true);
    await add('member', true);
    const trustedGuest = await add('guest');
    const guest = await add('guest');
    await add('guest', true);
    const bot = await organisation.addPerson({ isBot: true, botOwnerId: member.id });
    actors.push({ person: bot, role: roles.member, isExpendable: true });
    await furnish(system, organisation, { owner, member, trustedGuest, guest });
    const world = new LawWorld(system, organisation, actors);
    await world.look();
    return world;
  }

  get subdomain(): string {
    return this.organisation.host.split('.', 1)[0] ?? '';
  }

  /** A name or a text that nothing else has. */
  unique(prefix: string): string {
    this.#number += 1;
    return `${prefix} ${this.#number}`;
  }

  isActive({ person }: Actor): boolean {
    return this.existing.users.some(({ id, isActive }) => id === person.id && isActive);
  }

  /** An active account; with `mostRole`, one with at least the rights of this role. */
  pickActor(random: SeededRandom, mostRole: number = roles.guest): Actor {
    return random.pick(this.actors.filter((one) => one.role <= mostRole && this.isActive(one)));
  }

  /** The active account with one of these ids; any account if there is none. */
  pickOwner(random: SeededRandom, userIds: readonly number[]): Actor {
    const owners = this.actors.filter(({ person }) => userIds.includes(person.id));
    const active = owners.filter((one) => this.isActive(one));
    return active.length === 0 ? this.pickActor(random) : random.pick(active);
  }

  actorOf(userId: number): Actor | undefined {
    return this.actors.find(({ person }) => person.id === userId);
  }

  /** Takes a new API key of an account into use. */
  useKey({ person }: Actor, apiKey: string): void {
    const credentials = { email: person.email, api_key: apiKey, host: person.host };
    const actor = this.actorOf(person.id);
    if (actor === undefined) return;
    actor.person = { id: person.id, ...credentials, api: this.system.api(credentials) };
  }

  /** Consents at a provider of video calls, whose page sends the browser back with a code. */
  async consentToVideoCalls(consentPage: string): Promise<void> {
    const { headers } = await sendRequest(consentPage);
    await sendRequest(String(headers.location));
  }

  /** Reads what exists now. */
  async look(): Promise<void> {
    const { prisma } = this.system.database.database;
    const where = { realmId: this.organisation.id };
    const select = { id: true } as const;
    const messages = await prisma.message.findMany({
      where,
      select: { id: true, senderId: true, channelId: true, topic: true },
      orderBy: { id: 'desc' },
      take: NEWEST_MESSAGES,
    });
    this.existing = {
      users: await prisma.user.findMany({
        where,
        select: { ...select, fullName: true, isActive: true, isBot: true },
      }),
      channels: await prisma.channel.findMany({
        where,
        select: { ...select, name: true, isPrivate: true, archivedAt: true },
      }),
      folders: await prisma.channelFolder.findMany({
        where,
        select: { ...select, archivedAt: true },
      }),
      subscriptions: await prisma.subscription.findMany({
        where: { isActive: true, channel: where },
        select: { userId: true, channelId: true },
      }),
      groups: await prisma.userGroup.findMany({
        where: { ...where, name: { not: null }, deactivatedAt: null },
        select: { ...select, isSystem: true },
      }),
      messages: messages.map(({ id, ...message }) => ({ id: Number(id), ...message })),
      drafts: await prisma.draft.findMany({
        where: { user: where },
        select: { ...select, userId: true },
      }),
      scheduled: await prisma.scheduledMessage.findMany({
        where: { user: where },
        select: { ...select, userId: true },
      }),
      snippets: await prisma.savedSnippet.findMany({
        where: { user: where },
        select: { ...select, userId: true },
      }),
      reactions: (
        await prisma.messageReaction.findMany({
          where: { user: where },
          select: { messageId: true, userId: true, emojiName: true },
        })
      ).map(({ messageId, ...reaction }) => ({ messageId: Number(messageId), ...reaction })),
      mutes: await prisma.mutedUser.findMany({
        where: { user: where },
        select: { userId: true, mutedUserId: true },
      }),
      emoji: await prisma.realmEmoji.findMany({
        where,
        select: { name: true, isDeactivated: true },
      }),
      linkifiers: await prisma.linkifier.findMany({ where, select }),
      playgrounds: await prisma.playground.findMany({ where, select }),
      clientDevices: (
        await prisma.clientDevice.findMany({
          where,
          select: { ...select, userId: true, keyGeneration: true, user: true },
        })
      ).filter(({ keyGeneration, user }) => keyGeneration === user.keyGeneration),
      profileFields: await prisma.profileField.findMany({
        where,
        select: { ...select, fieldType: true },
      }),
      files: await prisma.attachment.findMany({
        where,
        select: { ...select, ownerId: true, pathId: true },
      }),
    };
  }
}

type People = Readonly<Record<'owner' | 'member' | 'trustedGuest' | 'guest', Person>>;

async function furnish(
  system: System,
  organisation: Organisation,
  { owner, member, trustedGuest, guest }: People,
): Promise<void> {
  const mail = new Correspondence(system, organisation);
  await mail.addChannel([owner, member, guest], { name: 'shared' });
  const quiet = await mail.addChannel([owner, member, trustedGuest], { name: 'quiet' });
  await system.database.database.prisma.subscription.updateMany({
    where: { channelId: quiet.id, userId: { not: owner.id } },
    data: { isMuted: true },
  });
  await mail.addChannel([owner, member], { name: 'secret', isPrivate: true });
  await mail.addChannel([member, guest], { name: 'den', isPrivate: true, isHistoryPublic: true });
  await mail.addChannel([owner], { name: 'open', isWebPublic: true });
  await mail.addChannel([owner, member], { name: 'old', archivedAt: new Date() });
  const inner = await addGroup(system, organisation, { members: [member.id, guest.id] });
  await addGroup(system, organisation, { members: [owner.id], subgroups: [inner] });
  const holders = await addGroup(system, organisation, {
    name: null,
    members: [member.id, trustedGuest.id],
    subgroups: [inner],
  });
  await addGroup(system, organisation, { members: [member.id], canManageId: holders });
  await addGroup(system, organisation, { members: [guest.id], deactivatedAt: new Date() });
  const { 'role:members': members = 0 } = await systemGroupIds(system, organisation);
  const seeingGuests = await addGroup(system, organisation);
  const seeing = await addGroup(system, organisation, {
    name: null,
    members: [trustedGuest.id],
    subgroups: [members, seeingGuests],
  });
  const reports = await mail.addChannel([owner], { name: 'reports', isPrivate: true });
  await system.database.database.prisma.realm.update({
    where: { id: organisation.id },
    data: { canAccessAllUsersGroupId: seeing, moderationChannelId: reports.id },
  });
}
