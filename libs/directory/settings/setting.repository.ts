import { Injectable } from '@nestjs/common';
import { Database, type Session, type Transaction } from '#platform/database';
import type { SettingValue } from './setting-kinds.js';
import { settingNames, settingOf, type SettingName } from './setting-table.rules.js';
import type { SettingsUpdate, SettingColumns } from './settings.rules.js';

interface Row extends Partial<Record<SettingName, SettingValue>> {
  readonly id: number;
  readonly isEmailVisible: boolean;
  readonly display: Record<string, unknown>;
  readonly edited: readonly string[] | null;
}

/** The settings with a column of their own, in the order of the table. */
const columns = settingNames.flatMap((name) => {
  const { column } = settingOf(name);
  return column === undefined ? [] : [{ name, column }];
});

const READ = `
  SELECT id, email = delivery_email AS "isEmailVisible", display_settings AS display,
         edited_settings AS edited,
         ${columns.map(({ name, column }) => `${column} AS ${name}`).join(', ')}
  FROM users`;

const GET = `${READ} WHERE id = $1`;

const LOCK = `${READ} WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE`;

const FIND_PEOPLE = `
  SELECT id FROM users WHERE realm_id = $1 AND id = ANY($2::int[]) AND NOT is_system_bot`;

const IS_PERSON = `SELECT id FROM users WHERE id = ANY($1::int[]) AND NOT is_bot ORDER BY id`;

const columnTypes: Readonly<Record<string, string>> = { boolean: 'boolean', number: 'bigint' };

const typeOf = (name: SettingName) => columnTypes[typeof settingOf(name).initial] ?? 'text';

// A missing column keeps the stored value. Members that only a newer release knows stay.
const STORE = `
  UPDATE users u SET
    display_settings = (u.display_settings - given.removed) || given.set,
    edited_settings = given.edited,
    ${columns.map(({ name, column }) => `${column} = coalesce(given.${name}, u.${column})`).join(',\n    ')}
  FROM jsonb_to_recordset($1::jsonb) AS given (
    id int, removed text[], "set" jsonb, edited jsonb,
    ${columns.map(({ name }) => `${name} ${typeOf(name)}`).join(', ')})
  WHERE u.id = given.id`;

/** The personal settings of accounts. */
@Injectable()
export class SettingRepository {
  constructor(private readonly database: Database) {}

  /** The settings of an account. Rejects with an Error for an unknown id. */
  async get(userId: number, session: Session = this.database): Promise<SettingColumns> {
    const [row] = await session.query<Row>('settings', GET, [userId]);
    if (row === undefined) throw new Error(`There is no account ${userId}`);
    return toStored(row);
  }

  /** The settings of accounts by their ids; other changes of the accounts wait until the end of the transaction. */
  async lock(
    transaction: Transaction,
    userIds: readonly number[],
  ): Promise<ReadonlyMap<number, SettingColumns>> {
    const rows = await transaction.query<Row>('lock_settings', LOCK, [userIds]);
    return new Map(rows.map((row) => [row.id, toStored(row)]));
  }

  /** Stores changed settings that were compared under `lock`, by the ids of the accounts: one statement. */
  async store(
    transaction: Transaction,
    updates: ReadonlyMap<number, SettingsUpdate>,
  ): Promise<void> {
    const rows = [...updates].map(([id, { columns: values, removed, set, edited }]) => {
      const row = { id, removed, set, edited };
      return Object.assign(row, values);
    });
    await transaction.query('store_settings', STORE, [JSON.stringify(rows)]);
  }

  /** Those of the ids that are accounts of the organisation. */
  async accountsAmong(realmId: number, userIds: readonly number[]): Promise<ReadonlySet<number>> {
    const values = [realmId, userIds];
    const rows = await this.database.query<{ id: number }>('accounts_among', FIND_PEOPLE, values);
    return new Set(rows.map(({ id }) => id));
  }

  /** Those of the accounts that are people, in ascending order. */
  async peopleAmong(userIds: readonly number[]): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>('people_among', IS_PERSON, [userIds]);
    return rows.map(({ id }) => id);
  }
}

function toStored({ id: _id, isEmailVisible, display, edited, ...values }: Row): SettingColumns {
  return { isEmailVisible, display, edited, columns: values };
}
