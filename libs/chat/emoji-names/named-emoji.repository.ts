import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

/** A custom emoji that messages can show. */
export interface EmojiName {
  readonly name: string;
  readonly fileKey: string;
}

const SELECT_NAMED = `
  SELECT name, file_key AS "fileKey" FROM realm_emoji
  WHERE realm_id = $1 AND name = ANY($2::text[]) AND NOT is_deactivated`;

/** Looks up custom emoji by their names. */
@Injectable()
export class NamedEmojiRepository {
  constructor(private readonly database: Database) {}

  /** The active emoji of an organisation with these names: one statement for all names. */
  async find(realmId: number, names: readonly string[]): Promise<EmojiName[]> {
    return this.database.query<EmojiName>('named_emoji', SELECT_NAMED, [realmId, names]);
  }
}
