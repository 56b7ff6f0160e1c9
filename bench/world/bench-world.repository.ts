import { roles } from '#contracts';
import type { Database } from '#database';

/** Puts the organisations and accounts of the bench into the database. */
export class BenchWorldRepository {
  constructor(private readonly database: Database) {}

  async createRealm(subdomain: string): Promise<number> {
    const { id } = await this.database.prisma.realm.create({
      data: { subdomain, name: subdomain },
    });
    return id;
  }

  /** Resolves with the ids of the new accounts by their addresses. */
  async createUsers(
    realmId: number,
    accounts: readonly { readonly email: string; readonly apiKeyHash: Buffer }[],
  ): Promise<Map<string, number>> {
    const rows = await this.database.prisma.user.createManyAndReturn({
      data: accounts.map(({ email, apiKeyHash }) => ({
        realmId,
        deliveryEmail: email,
        email,
        fullName: email,
        role: roles.member,
        apiKeyHash: new Uint8Array(apiKeyHash),
        // Nobody here fetches a key with a password.
        apiKeySealed: new Uint8Array(),
      })),
      select: { id: true, email: true },
    });
    return new Map(rows.map(({ id, email }) => [email, id]));
  }
}
