import { addOrganisation, type Organisation, type Person } from '../support/organisation.js';
import type { System } from '../support/start-system.js';

/** Two people who ask for each other's presence, in an organisation of their own. */
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

  /** Has guests of the organisation see only those with whom they share something. */
  async limitGuests(): Promise<void> {
    const group = await this.#prisma.userGroup.create({
      data: { realmId: this.organisation.id, name: 'those who see everyone' },
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

  /** Changes what others know somebody by, in the organisation. */
  async rename({ id }: Person, email: string): Promise<void> {
    await this.#prisma.user.update({ where: { id }, data: { email } });
  }

  get #prisma() {
    return this.system.database.database.prisma;
  }
}

export const presencePathOf = (user: number | string): string => `/users/${user}/presence`;

/** What everybody's presence tells of one user. */
export const told = (status: string, timestamp: number) => ({
  aggregated: { client: 'website', status, timestamp },
  website: { client: 'website', status, timestamp, pushable: false },
});
