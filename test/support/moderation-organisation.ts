import { addOrganisation, type Organisation, type Person } from './organisation.js';
import type { System } from './start-system.js';
import { Correspondence } from './messages-organisation.js';

/** A message that a moderator or a reporter received. */
interface Post {
  readonly topic: string;
  readonly content: string;
  readonly sender: string;
}

/** An organisation with a channel for reports. */
export class ModeratedOrganisation {
  readonly correspondence: Correspondence;

  constructor(
    private readonly system: System,
    readonly organisation: Organisation,
    readonly moderators: { readonly id: number; readonly name: string },
  ) {
    this.correspondence = new Correspondence(system, organisation);
  }

  addPerson(fullName: string): Promise<Person> {
    return this.organisation.addPerson({ fullName });
  }

  /** The reports, in the order of arrival. */
  async reports(): Promise<Post[]> {
    return this.#posts({ channelId: this.moderators.id });
  }

  /** The direct messages of system bots to a person. */
  async directMessagesTo({ id }: Person): Promise<Post[]> {
    return this.#posts({
      sender: { isSystemBot: true },
      conversation: { members: { some: { userId: id } } },
    });
  }

  async setModerationChannel(channelId: number | null): Promise<void> {
    await this.system.database.database.prisma.realm.update({
      where: { id: this.organisation.id },
      data: { moderationChannelId: channelId },
    });
  }

  async #posts(where: object): Promise<Post[]> {
    const rows = await this.system.database.database.prisma.message.findMany({
      where: { realmId: this.organisation.id, ...where },
      include: { sender: true },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ topic, content, sender }) => ({ topic, content, sender: sender.fullName }));
  }
}

export async function addModeratedOrganisation(
  system: System,
  traits: { readonly topicsPolicy?: string } = {},
): Promise<ModeratedOrganisation> {
  const organisation = await addOrganisation(system);
  const correspondence = new Correspondence(system, organisation);
  const channel = await correspondence.addChannel([], { isPrivate: true, ...traits });
  const moderated = new ModeratedOrganisation(system, organisation, channel);
  await moderated.setModerationChannel(channel.id);
  return moderated;
}
