import { Injectable } from '@nestjs/common';
import { Database, hasRoom, type Session } from '#platform/database';

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

const columns = { id: true, title: true, content: true, createdAt: true } as const;

// One statement, so that concurrent edits of the title and of the content are both kept.
const UPDATE = `
  UPDATE saved_snippets SET title = coalesce($3, title), content = coalesce($4, content)
  WHERE id = $1 AND user_id = $2
  RETURNING id`;

const snippetsOfUser = { table: 'saved_snippets', owner: 'user_id' } as const;

const CREATE = `
  INSERT INTO saved_snippets (user_id, title, content) VALUES ($1, $2, $3) RETURNING id`;

const DELETE = `DELETE FROM saved_snippets WHERE id = $1 AND user_id = $2 RETURNING id`;

/** Every method finds only the snippets of the given user. */
@Injectable()
export class SavedSnippetRepository {
  constructor(private readonly database: Database) {}

  /** The oldest snippets, at most `limit`, in the order of their ids. */
  async list(userId: number, limit: number): Promise<SavedSnippet[]> {
    return this.database.prisma.savedSnippet.findMany({
      where: { userId },
      select: columns,
      orderBy: { id: 'asc' },
      take: limit,
    });
  }

  /** Resolves with the new snippet's id; null when the user already has `limit` snippets. */
  async create(
    userId: number,
    { title, content }: SnippetText,
    limit: number,
    session: Session = this.database,
  ): Promise<number | null> {
    return session.transaction(async (transaction) => {
      if (!(await hasRoom(transaction, snippetsOfUser, userId, limit))) return null;
      const [created] = await transaction.query<{ id: number }>('create_saved_snippet', CREATE, [
        userId,
        title,
        content,
      ]);
      return created?.id ?? null;
    });
  }

  /** False when the user has no such snippet. */
  async update(
    userId: number,
    snippetId: number,
    edit: SnippetEdit,
    session: Session = this.database,
  ): Promise<boolean> {
    const rows = await session.query('update_saved_snippet', UPDATE, [
      snippetId,
      userId,
      edit.title ?? null,
      edit.content ?? null,
    ]);
    return rows.length > 0;
  }

  /** False when the user has no such snippet. */
  async delete(
    userId: number,
    snippetId: number,
    session: Session = this.database,
  ): Promise<boolean> {
    const rows = await session.query('delete_saved_snippet', DELETE, [snippetId, userId]);
    return rows.length > 0;
  }
}
