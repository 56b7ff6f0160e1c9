import { Injectable } from '@nestjs/common';
import { Database, type Session, type Transaction } from '#platform/database';
import {
  settingNames,
  settingOf,
  type SettingName,
  type SettingValue,
} from './setting-table.rules.js';
import type { SettingsUpdate, StoredSettings } from './settings.rules.js';

interface Row extends Partial<Record<SettingName, SettingValue>> {
  readonly isEmailVisible: boolean;
  readonly display: Record<string, unknown>;
}

/** The settings with a column of their own, in the order of the table. */
const columns = settingNames.flatMap((name) => {
  const { column } = settingOf(name);
  return column === undefined ? [] : [{ name, column }];
});

const READ = `
  SELECT email = delivery_email AS "isEmailVisible", display_settings AS display,
         ${columns.map(({ name, column }) => `${column} AS ${name}`).join(', ')}
  FROM users WHERE id = $1`;

const LOCK = `${READ} FOR NO KEY UPDATE`;

// A null parameter keeps the stored value. Members that only a newer release knows stay.
const STORE = `
  UPDATE users SET
    display_settings = (display_settings - $2::text[]) || $3::jsonb,
    ${columns.map(({ column }, index) => `${column} = coalesce($${index + 4}, ${column})`).join(',\n    ')}
  WHERE id = $1`;

/** The personal settings of accounts. */
@Injectable()
export class SettingRepository {
  constructor(private readonly database: Database) {}

  /** The settings of an account. Rejects with an Error for an unknown id. */
  async get(userId: number, session: Session = this.database): Promise<StoredSettings> {
    const [row] = await session.query<Row>('settings', READ, [userId]);
    return toStored(userId, row);
  }

  /** The same; other changes of the account wait until the end of the transaction. */
  async lock(transaction: Transaction, userId: number): Promise<StoredSettings> {
    const [row] = await transaction.query<Row>('lock_settings', LOCK, [userId]);
    return toStored(userId, row);
  }

  /** Stores changed settings that were compared under `lock`. */
  async store(transaction: Transaction, userId: number, update: SettingsUpdate): Promise<void> {
    await transaction.query('store_settings', STORE, [
      userId,
      update.removed,
      JSON.stringify(update.set),
      ...columns.map(({ name }) => update.columns[name] ?? null),
    ]);
  }
}

function toStored(userId: number, row: Row | undefined): StoredSettings {
  if (row === undefined) throw new Error(`There is no account ${userId}`);
  const { isEmailVisible, display, ...values } = row;
  return { isEmailVisible, display, columns: values };
}
