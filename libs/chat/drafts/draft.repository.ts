import { Injectable } from '@nestjs/common';
import {
  boundedEntries,
  Database,
  lockAndCheckBytes,
  lockAndCheckRoom,
  queryRow,
  type Session,
  type Transaction,
} from '#platform/database';

/** The kinds of destinations; the empty text stands for none. */
export const draftKinds = ['', 'stream', 'private'] as const;

/** The parts of a draft that the user writes. */
export interface DraftContent {
  readonly kind: (typeof draftKinds)[number];
  /** The id of the channel, or the ids of the recipients. */
  readonly to: readonly number[];
  /** Empty for other drafts than those of messages to channels. */
  readonly topic: string;
  /** Markdown. */
  readonly content: string;
  readonly editedAt: Date;
}

/** A message that a user has not sent yet. */
export interface Draft extends DraftContent {
  readonly id: number;
}

/** The drafts of an account. */
export const MAX_DRAFTS = 1000;

/** Their bytes as JSON: answers and registrations have all of them. */
export const MAX_DRAFT_BYTES = 4_000_000;

const draftsOfUser = {
  table: 'drafts',
  owner: 'user_id',
  texts: ['content', 'topic', 'to_ids::text'],
  maxBytes: MAX_DRAFT_BYTES,
} as const;

const COLUMNS = `id, kind, to_ids AS "to", topic, content, edited_at AS "editedAt"`;

const NEWEST_FIRST = 'edited_at DESC, id DESC';

const LIST = `
  SELECT ${COLUMNS} FROM ${boundedEntries(draftsOfUser, NEWEST_FIRST)} AS draft
  ORDER BY ${NEWEST_FIRST} LIMIT 10000`;

const CREATE = `
  INSERT INTO drafts (user_id, kind, to_ids, topic, content, edited_at)
  VALUES ($1, $2, $3::int[], $4, $5, $6) RETURNING ${COLUMNS}`;

const UPDATE = `
  UPDATE drafts SET kind = $3, to_ids = $4::int[], topic = $5, content = $6, edited_at = $7
  WHERE user_id = $1 AND id = $2 RETURNING ${COLUMNS}`;

const DELETE = `DELETE FROM drafts WHERE id = $1 AND user_id = $2 RETURNING id`;

const valuesOf = ({ kind, to, topic, content, editedAt }: DraftContent) => [
  kind,
  to,
  topic,
  content,
  editedAt,
];

/** Every method finds only the drafts of the given user. */
@Injectable()
export class DraftRepository {
  constructor(private readonly database: Database) {}

  /** The drafts, the last edited one first. */
  async list(userId: number, session: Session = this.database): Promise<Draft[]> {
    return session.query<Draft>('list_drafts', LIST, [userId]);
  }

  /** Whether the user may have this number of further drafts. */
  async hasRoomFor(transaction: Transaction, userId: number, count: number): Promise<boolean> {
    return lockAndCheckRoom(transaction, draftsOfUser, userId, MAX_DRAFTS - count + 1);
  }

  /** Whether the drafts of the user are small enough together, after the changes of the transaction. */
  async haveBytes(transaction: Transaction, userId: number): Promise<boolean> {
    return lockAndCheckBytes(transaction, draftsOfUser, userId);
  }

  /** Stores a draft; `hasRoomFor` comes before. */
  create(transaction: Transaction, userId: number, draft: DraftContent): Promise<Draft> {
    return queryRow<Draft>(transaction, 'create_draft', CREATE, [userId, ...valuesOf(draft)]);
  }

  /** Resolves with the changed draft; null when the user has no such draft. */
  async update(
    transaction: Transaction,
    userId: number,
    draftId: number,
    draft: DraftContent,
  ): Promise<Draft | null> {
    const values = [userId, draftId, ...valuesOf(draft)];
    const [updated] = await transaction.query<Draft>('update_draft', UPDATE, values);
    return updated ?? null;
  }

  /** False when the user has no such draft. */
  async delete(transaction: Transaction, userId: number, draftId: number): Promise<boolean> {
    return (await transaction.query('delete_draft', DELETE, [draftId, userId])).length > 0;
  }
}
