import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';

/** Removals of messages from the phones of some accounts. */
export interface RemovalPage {
  /** In ascending order of accounts. */
  readonly removals: readonly StoredRemoval[];
  /** W3C Trace Context of the request, if it is traced. */
  readonly traceParent: string | null;
}

/** The messages to remove from the phones of an account. */
type StoredRemoval = readonly [userId: number, messageIds: number[]];

// The accounts are all of one organisation.
const ADD = `
  INSERT INTO push_removal_pages (realm_id, removals, trace_parent)
  SELECT account.realm_id, page.removals, $3
  FROM unnest($2::jsonb[]) WITH ORDINALITY AS page (removals, place)
  JOIN users account ON account.id = $1
  ORDER BY page.place
  RETURNING realm_id AS "realmId"`;

const TAKE = `
  DELETE FROM push_removal_pages WHERE id = (
    SELECT id FROM push_removal_pages WHERE realm_id = $1 ORDER BY id LIMIT 1
    FOR UPDATE SKIP LOCKED
  )
  RETURNING removals, trace_parent AS "traceParent"`;

const WAITING = `
  SELECT DISTINCT realm_id AS "realmId" FROM push_removal_pages
  WHERE created_at < now() - make_interval(secs => $1)
  ORDER BY realm_id LIMIT $2`;

/** Removals from phones that wait for a worker. */
@Injectable()
export class RemovalPageRepository {
  constructor(private readonly database: Database) {}

  /** Adds pages for accounts of one organisation; resolves with its id, or null if the accounts are gone. */
  async add(
    transaction: Transaction,
    pages: readonly RemovalPage['removals'][],
    traceParent: string | null,
  ): Promise<number | null> {
    const [userId] = pages.at(0)?.at(0) ?? [];
    const values = [userId, pages.map((page) => JSON.stringify(page)), traceParent];
    const rows = await transaction.query<{ realmId: number }>('add_removal_pages', ADD, values);
    return rows.at(0)?.realmId ?? null;
  }

  /** Removes the first page of an organisation that no other transaction has taken; null if there is none. */
  async takeFirst(transaction: Transaction, realmId: number): Promise<RemovalPage | null> {
    const rows = await transaction.query<RemovalPage>('take_removal_page', TAKE, [realmId]);
    return rows.at(0) ?? null;
  }

  /** The organisations with a page that waits for `ageMs`: a limited number. */
  async waiting(ageMs: number, limit: number): Promise<number[]> {
    const values = [ageMs / 1000, limit];
    const rows = await this.database.query<{ realmId: number }>(
      'waiting_removal_pages',
      WAITING,
      values,
    );
    return rows.map(({ realmId }) => realmId);
  }
}
