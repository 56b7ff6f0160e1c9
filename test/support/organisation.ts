import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey } from '#directory/auth';
import { createSystemGroups } from '#directory/groups';
import { roles } from '#directory/roles';
import { ApiClient, type Credentials } from './api-client.js';
import type { System } from './start-system.js';

/** The properties of an account that a test may set. */
interface AccountTraits {
  readonly role?: number;
  readonly isBot?: boolean;
  readonly botOwnerId?: number;
  readonly isPresenceEnabled?: boolean;
  readonly dateJoined?: Date;
  readonly fullName?: string;
  readonly isActive?: boolean;
}

/** A person of an organisation, with a signed-in client. */
export interface Person extends Credentials {
  readonly id: number;
  readonly host: string;
  readonly api: ApiClient;
}

/** An organisation of one test, separate from the demo organisation. */
export class Organisation {
  #people = 0;

  constructor(
    private readonly system: System,
    readonly id: number,
    /** The `Host` header of the organisation. */
    readonly host: string,
  ) {}

  async addPerson(traits: AccountTraits = {}): Promise<Person> {
    this.#people += 1;
    const email = `person${this.#people}@${this.host}`;
    const apiKey = generateApiKey();
    const { id } = await this.system.database.database.prisma.user.create({
      data: {
        realmId: this.id,
        deliveryEmail: email,
        email,
        fullName: `Person ${this.#people}`,
        role: roles.member,
        apiKeyHash: new Uint8Array(hashApiKey(apiKey)),
        // No test uses the password of this account.
        apiKeySealed: new Uint8Array(),
        ...traits,
      },
    });
    const credentials = { email, api_key: apiKey, host: this.host };
    return { id, ...credentials, api: this.system.api(credentials) };
  }

  /** Stores the last activity of a person in PostgreSQL, in UNIX seconds, as presence does with a delay. */
  async lastSeen(
    { id: userId }: Person,
    idleAt: number,
    activeAt: number | null = idleAt,
  ): Promise<void> {
    const seen = { realmId: this.id, activeAt, idleAt, updateId: BigInt(idleAt) * 1_000_000n };
    await this.system.database.database.prisma.userPresence.upsert({
      where: { userId },
      create: { userId, ...seen },
      update: seen,
    });
  }

  /** Adds people with ascending ids, the order of most responses. */
  async addPeople(count: number): Promise<Person[]> {
    const people: Person[] = [];
    while (people.length < count) people.push(await this.addPerson());
    return people;
  }
}

/** The properties of an organisation that a test may set. */
interface RealmTraits {
  readonly name?: string;
  readonly description?: string;
  readonly isPresenceDisabled?: boolean;
  readonly deactivatedAt?: Date;
  readonly waitingPeriodDays?: number;
  readonly uploadQuotaMib?: number;
  readonly refusesDisposableEmails?: boolean;
  readonly requiresUniqueNames?: boolean;
  readonly topicsPolicy?: string;
}

/** Adds an organisation without people. */
export async function addOrganisation(
  system: System,
  traits: RealmTraits = {},
): Promise<Organisation> {
  const subdomain = `org-${randomBytes(4).toString('hex')}`;
  const { database } = system.database;
  const { id } = await database.prisma.realm.create({
    data: { subdomain, name: 'Organisation of a test', ...traits },
  });
  await database.transaction((transaction) => createSystemGroups(transaction, id));
  return new Organisation(system, id, `${subdomain}.127.0.0.1`);
}
