import { roles } from '#directory/roles';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { RemoteServer } from '#test/remote-server';
import type { System } from '#test/start-system';
import type { Actor } from './hostile-requests.fixture.js';

const ROLES = ['guest', 'administrator'] as const;
type Role = (typeof ROLES)[number];
/** The maximum number of accounts of one organisation. */
const MAX_PEOPLE = 100;

export const actorNames = ['anonymous', 'server', ...ROLES] as const;
type ActorName = (typeof actorNames)[number];

/** The accounts of the attackers. */
export class Crowd {
  readonly #people = new Map<Role, Person>();
  #organisation: Organisation;
  #server: Actor['credentials'] = null;
  #added = 0;

  private constructor(
    private readonly system: System,
    organisation: Organisation,
  ) {
    this.#organisation = organisation;
  }

  static async start(system: System): Promise<Crowd> {
    const crowd = new Crowd(system, await addOrganisation(system));
    await Promise.all(ROLES.map((role) => crowd.#add(role)));
    await crowd.#addServer();
    return crowd;
  }

  actor(name: ActorName): Actor {
    if (name === 'server') {
      return { name, host: new URL(this.system.gatewayUrl).host, credentials: this.#server };
    }
    const person = name === 'anonymous' ? null : (this.#people.get(name) ?? null);
    const host = person?.host ?? this.#organisation.host;
    return { name, host, credentials: person };
  }

  /** Adds another account, or server, in place of one that has lost its access by its own requests. */
  async replace(name: ActorName): Promise<void> {
    if (name === 'server') await this.#addServer();
    else if (name !== 'anonymous') await this.#add(name);
  }

  async #add(role: Role): Promise<void> {
    this.#added += 1;
    // Organisations stay small: their lists are measured elsewhere.
    if (this.#added % MAX_PEOPLE === 0) {
      this.#organisation = await addOrganisation(this.system);
      await Promise.all(ROLES.map((one) => this.#addOne(one)));
    } else {
      await this.#addOne(role);
    }
  }

  async #addServer(): Promise<void> {
    const { id, key } = await RemoteServer.register(this.system.gatewayUrl);
    this.#server = { email: id, api_key: key };
  }

  async #addOne(role: Role): Promise<void> {
    this.#people.set(role, await this.#organisation.addPerson({ role: roles[role] }));
  }
}
