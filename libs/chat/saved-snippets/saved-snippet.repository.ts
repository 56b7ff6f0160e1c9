import { Injectable } from '@nestjs/common';
import {
  boundedEntries,
  Database,
  lockAndCheckBytes,
  lockAndCheckRoom,
  type Session,
  type Transaction,
} from '#platform/database';

/** A text that a user saved for reuse in messages. */
export interface SavedSnippet {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  readonly createdAt: Date;
}

/** The parts of a snippet that the user writes. */
export type SnippetText = Pick<SavedSnippet, 'title' | 'content'>;

/** The new values of a snippet; missing members stay unchanged. */
export interface SnippetEdit {
  readonly title?: string | undefined;
  readonly content?: string | undefined;
}

/** The bytes of the snippets of an account as JSON: answers and registrations have all of them. */
export const MAX_SNIPPET_BYTES = 4_000_000;

const snippetsOfUser = {
  table: 'saved_snippets',
  owner: 'user_id',
  texts: ['title', 'content'],
  maxBytes: MAX_SNIPPET_BYTES,
} as const;

const COLUMNS = `id, title, content, created_at AS "createdAt"`;

const LIST = `
  SELECT ${COLUMNS} FROM ${boundedEntries(snippetsOfUser, 'id')} AS snippet
  ORDER BY id LIMIT 100000`;

// One statement, so that concurrent edits of the title and of the content are both kept.
const UPDATE = `
  UPDATE saved_snippets SET title = coalesce($3, title), content = coalesce($4, content)
  WHERE id = $1 AND user_id = $2
  RETURNING ${COLUMNS}`;

const CREATE = `
  INSERT INTO saved_snippets (user_id, title, content) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`;

const DELETE = `DELETE FROM saved_snippets WHERE id = $1 AND user_id = $2 RETURNING id`;

/** Every method finds only the snippets of the given user. */
@Injectable()
export class SavedSnippetRepository {
  constructor(private readonly database: Database) {}

  /** The snippets in the order of their ids. */
  async list(userId: number, session: Session = this.database): Promise<SavedSnippet[]> {
    return session.query<SavedSnippet>('list_saved_snippets', LIST, [userId]);
  }

  /** Resolves with the new snippet; null when the user already has `limit` snippets. */
  async create(
    transaction: Transaction,
    userId: number,
    { title, content }: SnippetText,
    limit: number,
  ): Promise<SavedSnippet | null> {
    if (!(await lockAndCheckRoom(transaction, snippetsOfUser, userId, limit))) return null;
    const [created] = await transaction.query<SavedSnippet>('create_saved_snippet', CREATE, [
      userId,
      title,
      content,
    ]);
    return created ?? null;
  }

  /** Whether the snippets of the user are small enough together, after the changes of the transaction. */
  async haveBytes(transaction: Transaction, userId: number): Promise<boolean> {
    return lockAndCheckBytes(transaction, snippetsOfUser, userId);
  }

  /** Resolves with the changed snippet; null when the user has no such snippet. */
  async update(
    userId: number,
    snippetId: number,
    edit: SnippetEdit,
    session: Session,
  ): Promise<SavedSnippet | null> {
    const [updated] = await session.query<SavedSnippet>('update_saved_snippet', UPDATE, [
      snippetId,
      userId,
      edit.title ?? null,
      edit.content ?? null,
    ]);
    return updated ?? null;
  }

  /** False when the user has no such snippet. */
  async delete(userId: number, snippetId: number, session: Session): Promise<boolean> {
    const rows = await session.query('delete_saved_snippet', DELETE, [snippetId, userId]);
    return rows.length > 0;
  }
}
