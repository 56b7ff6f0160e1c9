import type { Reply } from '../support/http-request.js';
import { addOrganisation, type Organisation, type Person } from '../support/organisation.js';
import type { System } from '../support/start-system.js';
import { Correspondence } from './messages.organisation.js';

/** What an organisation's moderators have been sent. */
interface Post {
  readonly topic: string;
  readonly content: string;
  readonly sender: string;
}

/** An organisation with a channel for reports, and what arrives there. */
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

  /** The reports, in the order in which they came. */
  async reports(): Promise<Post[]> {
    return this.#posts({ channelId: this.moderators.id });
  }

  /** What a bot of the server has written to somebody. */
  async lettersTo({ id }: Person): Promise<Post[]> {
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

/** The id of a message that was sent. */
export const idOf = ({ status, text, body }: Reply): number => {
  if (status !== 200) throw new Error(text);
  return Number(body['id']);
};
