import { Injectable } from '@nestjs/common';
import { Database, hasRoom } from '#database';

/** A place on the web where code of a language can be tried. */
export interface NewPlayground {
  readonly name: string;
  readonly pygmentsLanguage: string;
  readonly urlTemplate: string;
}

const CREATE = `
  INSERT INTO playgrounds (realm_id, name, pygments_language, url_template)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING
  RETURNING id`;

const playgroundsOfRealm = { table: 'playgrounds', owner: 'realm_id' } as const;

@Injectable()
export class PlaygroundRepository {
  constructor(private readonly database: Database) {}

  /**
   * Resolves with the new playground's id; or with why there is none: the language has one of that name, or
   * the organisation has `limit` playgrounds.
   */
  async create(
    realmId: number,
    playground: NewPlayground,
    limit: number,
  ): Promise<number | 'name is taken' | 'list is full'> {
    return this.database.transaction(async (session) => {
      if (!(await hasRoom(session, playgroundsOfRealm, realmId, limit))) return 'list is full';
      const [row] = await session.query<{ id: number }>('create_playground', CREATE, [
        realmId,
        playground.name,
        playground.pygmentsLanguage,
        playground.urlTemplate,
      ]);
      return row?.id ?? 'name is taken';
    });
  }

  /** False when there was none. */
  async delete(realmId: number, playgroundId: number): Promise<boolean> {
    const { count } = await this.database.prisma.playground.deleteMany({
      where: { id: playgroundId, realmId },
    });
    return count > 0;
  }
}
