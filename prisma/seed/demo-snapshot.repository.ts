import type { Database } from '#platform/database';
import {
  type DemoRole,
  demoEmail,
  demoMessages,
  demoRealm,
  demoRoles,
  demoSnippets,
  demoUsers,
} from './demo-world.js';

/** The current state of the demo organisation in the database. */
export interface DemoSnapshot {
  readonly users: readonly StoredDemoUser[];
  readonly channels: ReadonlyMap<string, number>;
  readonly groups: ReadonlyMap<string, number>;
  readonly messages: ReadonlyMap<string, number>;
  readonly snippets: ReadonlyMap<string, number>;
}

export interface StoredDemoUser {
  /** The name in the demo world, such as `alice`. */
  readonly name: string;
  readonly id: number;
  readonly email: string;
  readonly fullName: string;
  readonly role: DemoRole;
  readonly apiKeyHash: Uint8Array;
  readonly apiKeySealed: Uint8Array;
}

/** Reads the demo organisation, which users may have changed. */
export class DemoSnapshotRepository {
  constructor(private readonly database: Database) {}

  /** Resolves with null if the root organisation is not the demo organisation. */
  async read(): Promise<DemoSnapshot | null> {
    const realm = await this.database.prisma.realm.findUnique({
      where: { subdomain: demoRealm.subdomain },
    });
    const users = realm === null ? [] : await this.#readUsers(realm.id);
    if (realm === null || users.length === 0) return null;
    const inRealm = { where: { realmId: realm.id }, orderBy: { id: 'asc' } } as const;
    const [channels, groups] = await Promise.all([
      this.database.prisma.channel.findMany(inRealm),
      this.database.prisma.userGroup.findMany(inRealm),
    ]);
    const namedGroups = groups.flatMap(({ name, id }) =>
      name === null ? [] : [[name, id] as const],
    );
    return {
      users,
      channels: new Map(channels.map(({ name, id }) => [name, id])),
      groups: new Map(namedGroups),
      messages: await this.#findMessages(realm.id, users),
      snippets: await this.#findSnippets(users),
    };
  }

  async #readUsers(realmId: number): Promise<StoredDemoUser[]> {
    const nameByEmail = new Map(demoUsers.map(({ name }) => [demoEmail(name), name]));
    const rows = await this.database.prisma.user.findMany({
      where: { realmId, deliveryEmail: { in: [...nameByEmail.keys()] } },
      orderBy: { id: 'asc' },
    });
    return rows.map((row) => ({
      name: nameByEmail.get(row.deliveryEmail) ?? row.deliveryEmail,
      id: row.id,
      email: row.deliveryEmail,
      fullName: row.fullName,
      role: roleOf(row.role),
      apiKeyHash: row.apiKeyHash,
      apiKeySealed: row.apiKeySealed,
    }));
  }

  async #findMessages(
    realmId: number,
    users: readonly StoredDemoUser[],
  ): Promise<Map<string, number>> {
    const idByName = new Map(users.map(({ name, id }) => [name, id]));
    const found = new Map<string, number>();
    for (const { name, sender, content } of demoMessages) {
      const message = await this.database.prisma.message.findFirst({
        where: { realmId, senderId: idByName.get(sender) ?? 0, content },
        orderBy: { id: 'asc' },
      });
      if (message !== null) found.set(name, Number(message.id));
    }
    return found;
  }

  /** A snippet may have been edited, so the oldest snippets of an account count as those of the demo world. */
  async #findSnippets(users: readonly StoredDemoUser[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (const user of users) {
      const names = demoSnippets.filter(({ owner }) => owner === user.name);
      const rows = await this.database.prisma.savedSnippet.findMany({
        where: { userId: user.id },
        orderBy: { id: 'asc' },
        take: names.length,
      });
      for (const [index, { id }] of rows.entries()) found.set(names[index]?.name ?? '', id);
    }
    return found;
  }
}

function roleOf(stored: number): DemoRole {
  const role = demoUsers.find((user) => demoRoles[user.role] === stored)?.role;
  if (role === undefined) throw new Error(`An account of the demo has the unknown role ${stored}.`);
  return role;
}
