import { Injectable } from '@nestjs/common';
import { Database, hasRoom } from '#database';

/** A text that a user keeps. */
export interface SavedSnippet {
  readonly id: number;
  readonly title: string;
  readonly content: string;
  readonly createdAt: Date;
}

/** What a user writes of a snippet. */
export type SnippetText = Pick<SavedSnippet, 'title' | 'content'>;

/** What is to change of a snippet; what is left out stays. */
export interface SnippetEdit {
  readonly title?: string | undefined;
  readonly content?: string | undefined;
}

const columns = { id: true, title: true, content: true, createdAt: true } as const;

// What stays is not read before, so that of two edits at once neither undoes the other.
const UPDATE = `
  UPDATE saved_snippets SET title = coalesce($3, title), content = coalesce($4, content)
  WHERE id = $1 AND user_id = $2
  RETURNING id`;

const snippetsOfUser = { table: 'saved_snippets', owner: 'user_id' } as const;

const CREATE = `
  INSERT INTO saved_snippets (user_id, title, content) VALUES ($1, $2, $3) RETURNING id`;

/** A user's own snippets: those of others are not found. */
@Injectable()
export class SavedSnippetRepository {
  constructor(private readonly database: Database) {}

  /** The first of them in the order of their ids, `limit` at most. */
  async list(userId: number, limit: number): Promise<SavedSnippet[]> {
    return this.database.prisma.savedSnippet.findMany({
      where: { userId },
      select: columns,
      orderBy: { id: 'asc' },
      take: limit,
    });
  }

  /** Resolves with the new snippet's id; null when the user has `limit` already. */
  async create(
    userId: number,
    { title, content }: SnippetText,
    limit: number,
  ): Promise<number | null> {
    return this.database.transaction(async (session) => {
      if (!(await hasRoom(session, snippetsOfUser, userId, limit))) return null;
      const [created] = await session.query<{ id: number }>('create_saved_snippet', CREATE, [
        userId,
        title,
        content,
      ]);
      return created?.id ?? null;
    });
  }

  /** False when there is none. */
  async update(userId: number, snippetId: number, edit: SnippetEdit): Promise<boolean> {
    const rows = await this.database.query('update_saved_snippet', UPDATE, [
      snippetId,
      userId,
      edit.title ?? null,
      edit.content ?? null,
    ]);
    return rows.length > 0;
  }

  /** False when there was none. */
  async delete(userId: number, snippetId: number): Promise<boolean> {
    const { count } = await this.database.prisma.savedSnippet.deleteMany({
      where: { id: snippetId, userId },
    });
    return count > 0;
  }
}
