import { Injectable } from '@nestjs/common';
import type { Realm } from '#contracts';
import { Database } from '#database';

export interface RealmRow extends Realm {
  readonly isDeactivated: boolean;
}

@Injectable()
export class RealmRepository {
  constructor(private readonly database: Database) {}

  async findBySubdomain(subdomain: string): Promise<RealmRow | null> {
    const row = await this.database.prisma.realm.findUnique({ where: { subdomain } });
    if (row === null) return null;
    const { id, name, isPresenceDisabled, deactivatedAt } = row;
    return { id, subdomain, name, isPresenceDisabled, isDeactivated: deactivatedAt !== null };
  }
}
