import { Injectable } from '@nestjs/common';
import type { Realm } from '#contracts';
import { Database } from '#database';
import { createSystemGroups } from '#user-groups';

@Injectable()
export class NewRealmRepository {
  constructor(private readonly database: Database) {}

  /** Makes an organisation with its system groups, whole or not at all; null when the subdomain is taken. */
  async create(subdomain: string, name: string): Promise<Realm | null> {
    return this.database.prisma.$transaction(async (transaction) => {
      const rows = await transaction.realm.createManyAndReturn({
        data: [{ subdomain, name }],
        skipDuplicates: true,
        select: { id: true, subdomain: true, name: true, isPresenceDisabled: true },
      });
      const [realm] = rows;
      if (realm === undefined) return null;
      await createSystemGroups(transaction, realm.id);
      return realm;
    });
  }
}
