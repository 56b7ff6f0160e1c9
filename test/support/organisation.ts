import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey } from '#auth';
import { roles } from '#contracts';
import { createSystemGroups } from '#user-groups';
import { ApiClient, type Credentials } from './api-client.js';
import type { System } from './start-system.js';

/** What a test may want to be different of an account. */
interface AccountTraits {
  readonly role?: number;
  readonly isBot?: boolean;
  readonly isPresenceEnabled?: boolean;
  readonly dateJoined?: Date;
  readonly fullName?: string;
  readonly isActive?: boolean;
}

/** Somebody of an organisation, with a client that is signed in as them. */
export interface Person extends Credentials {
  readonly id: number;
  readonly host: string;
  readonly api: ApiClient;
}

/** An organisation of a test's own, beside the demo's: nobody else's doings show there. */
export class Organisation {
  #people = 0;

  constructor(
    private readonly system: System,
    readonly id: number,
    /** The `Host` header by which it is reached. */
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
        // Nobody asks for this key by password.
        apiKeySealed: new Uint8Array(),
        ...traits,
      },
    });
    const credentials = { email, api_key: apiKey, host: this.host };
    return { id, ...credentials, api: this.system.api(credentials) };
  }

  /** Lets PostgreSQL know when somebody was there last, in UNIX seconds, as presence does after a while. */
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

  /** Their ids ascend, as those in an answer do. */
  async addPeople(count: number): Promise<Person[]> {
    const people: Person[] = [];
    while (people.length < count) people.push(await this.addPerson());
    return people;
  }
}

/** What a test may want to be different of an organisation. */
interface RealmTraits {
  readonly isPresenceDisabled?: boolean;
  readonly deactivatedAt?: Date;
  readonly waitingPeriodDays?: number;
  readonly uploadQuotaMib?: number;
  readonly refusesDisposableEmails?: boolean;
  readonly requiresUniqueNames?: boolean;
}

/** Adds an organisation without people. */
export async function addOrganisation(
  system: System,
  traits: RealmTraits = {},
): Promise<Organisation> {
  const subdomain = `org-${randomBytes(4).toString('hex')}`;
  const { id } = await system.database.database.prisma.$transaction(async (transaction) => {
    const realm = await transaction.realm.create({
      data: { subdomain, name: 'Organisation of a test', ...traits },
    });
    await createSystemGroups(transaction, realm.id);
    return realm;
  });
  return new Organisation(system, id, `${subdomain}.127.0.0.1`);
}
