import { Injectable } from '@nestjs/common';
import { lockAndCheckRoom, lockList, type Session, type Transaction } from '#platform/database';

/** A website that runs code of a language. */
export interface NewPlayground {
  readonly name: string;
  readonly pygmentsLanguage: string;
  readonly urlTemplate: string;
}

/** A stored playground. */
interface Playground extends NewPlayground {
  readonly id: number;
}

/** Above the highest cap that can be configured. */
const MAX_LISTED = 10_000_000;

const LIST = `
  SELECT id, name, pygments_language AS "pygmentsLanguage", url_template AS "urlTemplate"
  FROM playgrounds WHERE realm_id = $1 ORDER BY id LIMIT $2`;

const CREATE = `
  INSERT INTO playgrounds (realm_id, name, pygments_language, url_template)
  SELECT $1::int, $2, $3, $4 WHERE NOT EXISTS (
    SELECT FROM playgrounds
    WHERE realm_id = $1::int AND pygments_language = $3 AND name_key(name) = name_key($2)
  )
  ON CONFLICT DO NOTHING
  RETURNING id`;

const DELETE = `DELETE FROM playgrounds WHERE id = $1 AND realm_id = $2 RETURNING id`;

const playgroundsOfRealm = { table: 'playgrounds', owner: 'realm_id' } as const;

/**
 * The playgrounds of organisations. A change blocks other changes of the same organisation until the end of its
 * transaction, so that a list that is read after the change is the list at the commit.
 */
@Injectable()
export class PlaygroundRepository {
  /** The playgrounds of an organisation in the order of their ids. */
  async list(session: Session, realmId: number): Promise<Playground[]> {
    return session.query<Playground>('list_playgrounds', LIST, [realmId, MAX_LISTED]);
  }

  /**
   * Resolves with the new playground's id, or with the reason why it was not created: the language already has a playground with
   * this name, or the organisation already has `limit` playgrounds.
   */
  async create(
    transaction: Transaction,
    realmId: number,
    playground: NewPlayground,
    limit: number,
  ): Promise<number | 'name is taken' | 'list is full'> {
    if (!(await lockAndCheckRoom(transaction, playgroundsOfRealm, realmId, limit)))
      return 'list is full';
    const [row] = await transaction.query<{ id: number }>('create_playground', CREATE, [
      realmId,
      playground.name,
      playground.pygmentsLanguage,
      playground.urlTemplate,
    ]);
    return row?.id ?? 'name is taken';
  }

  /** False when no such playground exists. */
  async delete(transaction: Transaction, realmId: number, playgroundId: number): Promise<boolean> {
    await lockList(transaction, playgroundsOfRealm, realmId);
    const rows = await transaction.query('delete_playground', DELETE, [playgroundId, realmId]);
    return rows.length > 0;
  }
}
