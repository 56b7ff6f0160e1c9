import { Injectable } from '@nestjs/common';
import { Database } from '#database';

/** The accounts that a field of type “users” may name. */
@Injectable()
export class NamedPeopleRepository {
  constructor(private readonly database: Database) {}

  /** Of these ids, those of people of the organisation who are in use: no bots, nobody deactivated. */
  async among(realmId: number, userIds: readonly number[]): Promise<ReadonlySet<number>> {
    const people = await this.database.prisma.user.findMany({
      where: { realmId, id: { in: [...userIds] }, isActive: true, isBot: false },
      select: { id: true },
    });
    return new Set(people.map(({ id }) => id));
  }
}
