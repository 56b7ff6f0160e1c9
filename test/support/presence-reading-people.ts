import { addOrganisation, type Organisation, type Person } from './organisation.js';
import type { System } from './start-system.js';

/** Two people who read each other's presence, in their own organisation. */
export class PresenceReaders {
  private constructor(
    private readonly system: System,
    readonly organisation: Organisation,
    readonly ann: Person,
    readonly ben: Person,
  ) {}

  static async in(
    system: System,
    traits?: Parameters<typeof addOrganisation>[1],
  ): Promise<PresenceReaders> {
    const organisation = await addOrganisation(system, traits);
    const [ann, ben] = [await organisation.addPerson(), await organisation.addPerson()];
    return new PresenceReaders(system, organisation, ann, ben);
  }

  /** Limits the guests of the organisation to users who share something with them. */
  async limitGuests(): Promise<void> {
    const group = await this.#prisma.userGroup.create({
      data: { realmId: this.organisation.id, name: 'users with full access' },
    });
    await this.#prisma.realm.update({
      where: { id: this.organisation.id },
      data: { canAccessAllUsersGroupId: group.id },
    });
  }

  async shareChannel(...people: Person[]): Promise<void> {
    const channel = await this.#prisma.channel.create({
      data: { realmId: this.organisation.id, name: 'shared' },
    });
    await this.#prisma.subscription.createMany({
      data: people.map(({ id }) => ({ channelId: channel.id, userId: id })),
    });
  }

  /** Changes the visible address of a person. */
  async rename({ id }: Person, email: string): Promise<void> {
    await this.#prisma.user.update({ where: { id }, data: { email } });
  }

  get #prisma() {
    return this.system.database.database.prisma;
  }
}

export const presencePathOf = (user: number | string): string => `/users/${user}/presence`;

/** The entry of a user in the legacy format. */
export const legacyEntry = (status: string, timestamp: number) => ({
  aggregated: { client: 'website', status, timestamp },
  website: { client: 'website', status, timestamp, pushable: false },
});
