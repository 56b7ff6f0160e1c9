import { Injectable } from '@nestjs/common';
import { storable } from '#events/log';
import { Database, type Session, type Transaction } from '#platform/database';
import type { MessagePlace } from '../sending/new-message.rules.js';

/** A message of the notification bot about a change. */
export interface Notice {
  readonly place: MessagePlace;
  /** Markdown. */
  readonly content: string;
  /** Whether it causes no push notification. */
  readonly isSilent?: boolean;
}

/** The account that has made a change, as notices name it. */
export interface Actor {
  readonly id: number;
  readonly fullName: string;
}

/** A notice that has not been sent. */
export interface StoredNotice extends Required<Notice> {
  readonly id: number;
  /** The account that has made the change. */
  readonly userId: number;
}

const COLUMNS = 'id::bigint, user_id AS "userId", place, content, is_silent AS "isSilent"';

const ACTOR = 'SELECT id, full_name AS "fullName" FROM users WHERE id = $1';

const ADD = `
  INSERT INTO notices (user_id, place, content, is_silent, due_at)
  SELECT $1, notice->'place', notice->>'content', coalesce((notice->>'isSilent')::boolean, false),
    now() + $3 * interval '1 millisecond'
  FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS list (notice, number)
  ORDER BY number
  RETURNING ${COLUMNS}`;

// The lease: other processes skip the notices until then, and take them over if this process dies.
const LEASE = `
  UPDATE notices SET due_at = now() + $2 * interval '1 millisecond'
  FROM (
    SELECT id AS due_id FROM notices WHERE due_at <= now()
    ORDER BY due_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE id = due_id
  RETURNING ${COLUMNS}`;

const REMOVE = 'DELETE FROM notices WHERE id = $1::bigint RETURNING 1';

/** The notices that have not been sent. */
@Injectable()
export class NoticeRepository {
  constructor(private readonly database: Database) {}

  /** The account with its present name. Rejects with an Error for an unknown id. */
  async actor(transaction: Transaction, userId: number): Promise<Actor> {
    const [actor] = await transaction.query<Actor>('actor_of_notices', ACTOR, [userId]);
    if (actor === undefined) throw new Error(`There is no account ${userId}`);
    return actor;
  }

  /** Adds notices about a change of an account in its transaction. Other processes do not get them during the lease. */
  async add(
    transaction: Transaction,
    userId: number,
    notices: readonly Notice[],
    milliseconds: number,
  ): Promise<StoredNotice[]> {
    const values = [userId, JSON.stringify(notices, storable), milliseconds];
    return transaction.query<StoredNotice>('add_notices', ADD, values);
  }

  /** Takes some notices whose lease is over, in the order of their changes. */
  async lease(most: number, milliseconds: number): Promise<StoredNotice[]> {
    const values = [most, milliseconds];
    const leased = await this.database.query<StoredNotice>('lease_notices', LEASE, values);
    return leased.toSorted((one, other) => one.id - other.id);
  }

  /** False for a notice that has been sent meanwhile. */
  async remove(id: number, session: Session = this.database): Promise<boolean> {
    return (await session.query('remove_notice', REMOVE, [id])).length > 0;
  }
}
