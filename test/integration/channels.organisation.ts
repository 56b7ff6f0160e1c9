import type { Reply } from '../support/http-request.js';
import { addOrganisation, type Organisation } from '../support/organisation.js';
import type { System } from '../support/start-system.js';

type Prisma = System['database']['database']['prisma'];
type ChannelData = NonNullable<Parameters<Prisma['channel']['createMany']>[0]>['data'];
type ChannelTraits = Partial<Extract<ChannelData, readonly unknown[]>[number]>;

/** An organisation of a test's own, and channels in it. */
export class OrganisationOfChannels {
  private constructor(
    private readonly prisma: Prisma,
    readonly organisation: Organisation,
  ) {}

  static async add(system: System): Promise<OrganisationOfChannels> {
    const organisation = await addOrganisation(system);
    return new OrganisationOfChannels(system.database.database.prisma, organisation);
  }

  /** Adds a channel with these subscribers; resolves with its id. */
  async addChannel(
    name: string,
    traits: ChannelTraits = {},
    subscribers: readonly { readonly id: number }[] = [],
  ): Promise<number> {
    const { id } = await this.prisma.channel.create({
      data: { ...traits, realmId: this.organisation.id, name },
    });
    await this.subscribe(id, subscribers);
    return id;
  }

  /** Adds channels of which nothing but the number matters; resolves with their ids. */
  async addChannels(count: number, traits: ChannelTraits = {}): Promise<number[]> {
    const channels = await this.prisma.channel.createManyAndReturn({
      data: Array.from({ length: count }, (_, index) => ({
        ...traits,
        realmId: this.organisation.id,
        name: `channel ${index}`,
        description: `What **${index}** is about.`,
      })),
      select: { id: true },
    });
    return channels.map(({ id }) => id);
  }

  async subscribe(channelId: number, people: readonly { readonly id: number }[]): Promise<void> {
    await this.prisma.subscription.createMany({
      data: people.map(({ id }) => ({ channelId, userId: id })),
    });
  }

  /** The id of one of the groups that every organisation has. */
  async systemGroup(name: string): Promise<number> {
    const { id } = await this.prisma.userGroup.findFirstOrThrow({
      where: { realmId: this.organisation.id, name },
    });
    return id;
  }

  /** People and groups that a permission is given to one by one; resolves with the group's id. */
  async addNamelessGroup(
    members: readonly number[],
    subgroups: readonly number[],
  ): Promise<number> {
    const { id } = await this.prisma.userGroup.create({
      data: {
        realmId: this.organisation.id,
        members: { create: members.map((userId) => ({ userId })) },
        subgroups: { create: subgroups.map((subgroupId) => ({ subgroupId })) },
      },
    });
    return id;
  }
}

type Item = Readonly<Record<string, unknown>>;

/** The channels of an answer that must be a success, from either list. */
export function channelsOf({ status, body }: Reply): Item[] {
  if (status !== 200) throw new Error(`Refused: ${JSON.stringify(body)}`);
  const channels = body['streams'] ?? body['subscriptions'];
  if (!Array.isArray(channels)) throw new Error('The answer has no list of channels.');
  return channels as Item[];
}

/** Their names, in the answer's order. */
export const namesOf = (reply: Reply): unknown[] => channelsOf(reply).map(({ name }) => name);
