import { Injectable } from '@nestjs/common';
import { Database } from '#database';

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

@Injectable()
export class PlaygroundRepository {
  constructor(private readonly database: Database) {}

  /** Resolves with the new playground's id; null when the language has one of that name. */
  async create(realmId: number, playground: NewPlayground): Promise<number | null> {
    const [row] = await this.database.query<{ id: number }>('create_playground', CREATE, [
      realmId,
      playground.name,
      playground.pygmentsLanguage,
      playground.urlTemplate,
    ]);
    return row?.id ?? null;
  }

  /** False when there was none. */
  async delete(realmId: number, playgroundId: number): Promise<boolean> {
    const { count } = await this.database.prisma.playground.deleteMany({
      where: { id: playgroundId, realmId },
    });
    return count > 0;
  }
}
