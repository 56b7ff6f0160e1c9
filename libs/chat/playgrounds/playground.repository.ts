import { Injectable } from '@nestjs/common';
import { Database, hasRoom, type Session } from '#platform/database';

/** A website that runs code of a language. */
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

const DELETE = `DELETE FROM playgrounds WHERE id = $1 AND realm_id = $2 RETURNING id`;

const playgroundsOfRealm = { table: 'playgrounds', owner: 'realm_id' } as const;

@Injectable()
export class PlaygroundRepository {
  constructor(private readonly database: Database) {}

  /**
   * Resolves with the new playground's id, or with the reason why it was not created: the language already has a playground with
   * this name, or the organisation already has `limit` playgrounds.
   */
  async create(
    realmId: number,
    playground: NewPlayground,
    limit: number,
    session: Session = this.database,
  ): Promise<number | 'name is taken' | 'list is full'> {
    return session.transaction(async (transaction) => {
      if (!(await hasRoom(transaction, playgroundsOfRealm, realmId, limit))) return 'list is full';
      const [row] = await transaction.query<{ id: number }>('create_playground', CREATE, [
        realmId,
        playground.name,
        playground.pygmentsLanguage,
        playground.urlTemplate,
      ]);
      return row?.id ?? 'name is taken';
    });
  }

  /** False when no such playground exists. */
  async delete(
    realmId: number,
    playgroundId: number,
    session: Session = this.database,
  ): Promise<boolean> {
    const rows = await session.query('delete_playground', DELETE, [playgroundId, realmId]);
    return rows.length > 0;
  }
}
