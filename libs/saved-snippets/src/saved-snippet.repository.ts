import { Injectable } from '@nestjs/common';
import { Database } from '#database';

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

/** A user's own snippets: those of others are not found. */
@Injectable()
export class SavedSnippetRepository {
  constructor(private readonly database: Database) {}

  /** In the order of their ids. */
  async list(userId: number): Promise<SavedSnippet[]> {
    return this.database.prisma.savedSnippet.findMany({
      where: { userId },
      select: columns,
      orderBy: { id: 'asc' },
    });
  }

  /** Resolves with the new snippet's id. */
  async create(userId: number, { title, content }: SnippetText): Promise<number> {
    const { id } = await this.database.prisma.savedSnippet.create({
      data: { userId, title, content },
      select: { id: true },
    });
    return id;
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
