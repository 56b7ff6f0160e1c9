import { Injectable } from '@nestjs/common';
import { isRowId } from '#contracts';
import { Database } from '#database';

/** Whom somebody may ask the presence of. */
export interface Person {
  readonly userId: number;
  readonly isBot: boolean;
  readonly sharesPresence: boolean;
}

interface Row {
  id: number;
  is_bot: boolean;
  is_presence_enabled: boolean;
}

const SELECT_BY_ID = `
  SELECT id, is_bot, is_presence_enabled FROM users
  WHERE realm_id = $1 AND id = $2 AND is_active`;

const SELECT_BY_EMAIL = `
  SELECT id, is_bot, is_presence_enabled FROM users
  WHERE realm_id = $1 AND lower(email) = lower($2) AND is_active
  LIMIT 1`;

/** Finds accounts in use as their presence is asked for. */
@Injectable()
export class PersonRepository {
  constructor(private readonly database: Database) {}

  /** Digits are an id, anything else is the visible address, whatever its case. Null when there is none in use. */
  async find(realmId: number, idOrEmail: string): Promise<Person | null> {
    const isId = /^\d+$/.test(idOrEmail);
    if (isId && !isRowId(Number(idOrEmail))) return null;
    const [row] = isId
      ? await this.database.query<Row>('person-by-id', SELECT_BY_ID, [realmId, Number(idOrEmail)])
      : await this.database.query<Row>('person-by-email', SELECT_BY_EMAIL, [realmId, idOrEmail]);
    if (!row) return null;
    return { userId: row.id, isBot: row.is_bot, sharesPresence: row.is_presence_enabled };
  }
}
