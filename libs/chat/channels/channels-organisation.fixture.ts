import { roles } from '#directory/roles';
import type { Reply } from '#test/http-request';
import { addOrganisation, type Organisation } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import type { System } from '#test/start-system';
import { useFixture } from '#test/use-fixture';

type Prisma = System['database']['database']['prisma'];
type ChannelData = NonNullable<Parameters<Prisma['channel']['createMany']>[0]>['data'];
type ChannelTraits = Partial<Extract<ChannelData, readonly unknown[]>[number]>;

/** A new organisation with channels. */
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

  /** Adds many channels; resolves with their ids. */
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

  /** The id of a system group. */
  async systemGroup(name: string): Promise<number> {
    const { id } = await this.prisma.userGroup.findFirstOrThrow({
      where: { realmId: this.organisation.id, name },
    });
    return id;
  }

  /** Adds an anonymous group, as for a permission of individual people and groups; resolves with its id. */
  async addAnonymousGroup(
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

/** The channels of a successful response of either list. */
export function channelsOf({ status, body }: Reply): Item[] {
  if (status !== 200) throw new Error(`Refused: ${JSON.stringify(body)}`);
  const channels = body['streams'] ?? body['subscriptions'];
  if (!Array.isArray(channels)) throw new Error('The answer has no list of channels.');
  return channels as Item[];
}

/** The names of the channels, in the order of the response. */
export const namesOf = (reply: Reply): unknown[] => channelsOf(reply).map(({ name }) => name);

/** An organisation of a test file, and what adds its accounts. The recorded events are those of types not ignored. */
export function useOrganisationOfChannels(system: System, ignored: readonly string[] = []) {
  const world = useFixture(() => OrganisationOfChannels.add(system));
  return {
    world,
    recorded: useFixture(async () => new RecordedEvents(system, world.organisation, ignored)),
    usePerson: (role: number = roles.member) =>
      useFixture(() => world.organisation.addPerson({ role })),
  };
}
