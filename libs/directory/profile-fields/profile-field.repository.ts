import { Injectable } from '@nestjs/common';
import {
  Database,
  lockAndCheckBytes,
  lockAndCheckRoom,
  lockList,
  type Session,
  type Transaction,
} from '#platform/database';
import type { NewProfileField, ProfileField } from './profile-field.js';

/** The reason why a field was not created. */
export type CreationRefusal = 'name is taken' | 'summary is full' | 'list is full';

interface CreationRow {
  readonly id: number | null;
  readonly isSummaryFull: boolean;
}

const SUMMARY_SLOTS = 2;

const COLUMNS = `
  id, name, hint, field_type AS "fieldType", field_data AS "fieldData", position,
  summary_slot IS NOT NULL AS "isInSummary", is_required AS "isRequired",
  is_user_editable AS "isUserEditable", is_for_matching AS "isForMatching"`;

const LIST = `SELECT ${COLUMNS} FROM profile_fields WHERE realm_id = $1 ORDER BY position, id`;

const LIST_SOME = `
  SELECT ${COLUMNS} FROM profile_fields WHERE realm_id = $1 AND id = ANY($2::int[])
  ORDER BY position, id`;

const CREATE = `
  WITH free_slot AS (
    SELECT slot FROM generate_series(1, ${SUMMARY_SLOTS}) AS slot
    WHERE $6 AND NOT EXISTS (
      SELECT FROM profile_fields WHERE realm_id = $1 AND summary_slot = slot
    )
    ORDER BY slot LIMIT 1
  ), created AS (
    INSERT INTO profile_fields (
      id, position, realm_id, name, hint, field_type, field_data, summary_slot,
      is_required, is_user_editable, is_for_matching
    )
    SELECT new_id, new_id, $1, $2, $3, $4, $5::jsonb, (SELECT slot FROM free_slot), $7, $8, $9
    FROM nextval(pg_get_serial_sequence('profile_fields', 'id')) AS new_id
    WHERE (NOT $6 OR EXISTS (SELECT FROM free_slot)) AND NOT EXISTS (
      SELECT FROM profile_fields WHERE realm_id = $1 AND name_key(name) = name_key($2)
    )
    ON CONFLICT DO NOTHING
    RETURNING id
  )
  SELECT
    (SELECT id FROM created) AS id,
    $6 AND NOT EXISTS (SELECT FROM free_slot) AS "isSummaryFull"`;

/** The bytes of the fields of an organisation as JSON: answers, registrations and events have all of them. */
export const MAX_FIELD_BYTES = 800_000;

const fieldsOfRealm = {
  table: 'profile_fields',
  owner: 'realm_id',
  texts: ['name', 'hint', 'field_data::text'],
  maxBytes: MAX_FIELD_BYTES,
} as const;

/** The number of values that one statement deletes. */
const BATCH_SIZE = 5000;

const LOCK_FIELD = `SELECT FROM profile_fields WHERE id = $1 AND realm_id = $2 FOR UPDATE`;

// In the order of the accounts: from the start, each batch would read the deleted rows of the earlier ones again.
const DELETE_VALUES = `
  WITH deleted AS (
    DELETE FROM profile_values WHERE field_id = $1 AND user_id IN (
      SELECT user_id FROM profile_values WHERE field_id = $1 AND user_id > $2
      ORDER BY user_id LIMIT $3
    )
    RETURNING user_id
  )
  SELECT max(user_id) AS "lastUserId" FROM deleted`;

const DELETE = `DELETE FROM profile_fields WHERE id = $1`;

const REORDER = `
  UPDATE profile_fields SET position = given.place - 1
  FROM unnest($2::int[]) WITH ORDINALITY AS given (id, place)
  WHERE profile_fields.realm_id = $1 AND profile_fields.id = given.id`;

/** The custom profile fields of organisations. */
@Injectable()
export class ProfileFieldRepository {
  constructor(private readonly database: Database) {}

  /** The fields of the organisation in the order of display; with `fieldIds` only those. */
  async list(
    realmId: number,
    fieldIds?: readonly number[],
    session: Session = this.database,
  ): Promise<ProfileField[]> {
    return fieldIds === undefined
      ? session.query<ProfileField>('profile_fields', LIST, [realmId])
      : session.query<ProfileField>('some_profile_fields', LIST_SOME, [realmId, fieldIds]);
  }

  /** Whether the profile summary has no free slot. */
  async isSummaryFull(realmId: number): Promise<boolean> {
    const shown = await this.database.prisma.profileField.count({
      where: { realmId, summarySlot: { not: null } },
    });
    return shown >= SUMMARY_SLOTS;
  }

  /**
   * Resolves with the new field's id, or with the reason of the refusal: `list is full` when the organisation already
   * has `limit` fields.
   */
  async create(
    transaction: Transaction,
    realmId: number,
    field: NewProfileField,
    limit: number,
  ): Promise<number | CreationRefusal> {
    // Locks the organisation, so that the next statement sees all names and slots.
    if (!(await lockAndCheckRoom(transaction, fieldsOfRealm, realmId, limit)))
      return 'list is full';
    const [row] = await transaction.query<CreationRow>('create_profile_field', CREATE, [
      realmId,
      field.name,
      field.hint,
      field.fieldType,
      field.fieldData === null ? null : JSON.stringify(field.fieldData),
      field.isInSummary,
      field.isRequired,
      field.isUserEditable,
      field.isForMatching,
    ]);
    if (typeof row?.id === 'number') return row.id;
    return row?.isSummaryFull === true ? 'summary is full' : 'name is taken';
  }

  /** Whether the fields are small enough together, after the changes of the transaction. */
  async haveBytes(transaction: Transaction, realmId: number): Promise<boolean> {
    return lockAndCheckBytes(transaction, fieldsOfRealm, realmId);
  }

  /**
   * Deletes a field and its values; false for an unknown field. The values are deleted in batches, so that no statement is
   * long.
   */
  async delete(transaction: Transaction, realmId: number, fieldId: number): Promise<boolean> {
    // Serialises it with the other changes of the list, whose events contain the whole list.
    await this.lock(transaction, realmId);
    const found = await transaction.query('lock_profile_field', LOCK_FIELD, [fieldId, realmId]);
    if (found.length === 0) return false;
    let lastUserId: number | null = 0;
    while (lastUserId !== null) {
      lastUserId = await deleteValues(transaction, fieldId, lastUserId);
    }
    await transaction.query('delete_profile_field', DELETE, [fieldId]);
    return true;
  }

  /** Blocks other changes of the list until the end of the transaction. */
  async lock(transaction: Transaction, realmId: number): Promise<void> {
    await lockList(transaction, fieldsOfRealm, realmId);
  }

  /** Puts the fields into the order of the ids. A field that is created later comes after them. */
  async reorder(transaction: Transaction, realmId: number, ids: readonly number[]): Promise<void> {
    await transaction.query('reorder_profile_fields', REORDER, [realmId, ids]);
  }
}

/** Deletes a batch of the values after an account. Resolves with the last account of the batch; null if there was none. */
async function deleteValues(
  transaction: Transaction,
  fieldId: number,
  afterUserId: number,
): Promise<number | null> {
  const [row] = await transaction.query<{ lastUserId: number | null }>(
    'delete_profile_values',
    DELETE_VALUES,
    [fieldId, afterUserId, BATCH_SIZE],
  );
  return row?.lastUserId ?? null;
}
