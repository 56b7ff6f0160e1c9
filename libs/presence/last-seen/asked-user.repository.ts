import { Injectable } from '@nestjs/common';
import { isRowId } from '#platform/contracts';
import { Database } from '#platform/database';

/** An active account whose presence a caller asks for. */
export interface PresenceSubject {
  readonly userId: number;
  readonly isBot: boolean;
  readonly sharesPresence: boolean;
}

const COLUMNS = `
  id AS "userId", is_bot AS "isBot", is_presence_enabled AS "sharesPresence"`;

const SELECT_BY_ID = `
  SELECT ${COLUMNS} FROM users
  WHERE realm_id = $1 AND id = $2 AND is_active`;

const SELECT_BY_EMAIL = `
  SELECT ${COLUMNS} FROM users
  WHERE realm_id = $1 AND lower(email) = lower($2) AND is_active
  LIMIT 1`;

/** Finds active accounts by id or visible address. */
@Injectable()
export class AskedUserRepository {
  constructor(private readonly database: Database) {}

  /** Digits are an id; any other text is a visible address, in any case. Null without an active account. */
  async find(realmId: number, idOrEmail: string): Promise<PresenceSubject | null> {
    const isId = /^\d+$/.test(idOrEmail);
    if (isId && !isRowId(Number(idOrEmail))) return null;
    const [row] = isId
      ? await this.database.query<PresenceSubject>('asked_user_by_id', SELECT_BY_ID, [
          realmId,
          Number(idOrEmail),
        ])
      : await this.database.query<PresenceSubject>('asked_user_by_email', SELECT_BY_EMAIL, [
          realmId,
          idOrEmail,
        ]);
    return row ?? null;
  }
}
