import { Injectable } from '@nestjs/common';
import type { ProfileData, ProfileDataReader, ProfileValue } from '#directory/users';
import { TimeSlice } from '#platform/core';
import { Database, lockAndCheckBytes, type Session, type Transaction } from '#platform/database';

/** The new value of one field of an account; null removes it. */
export interface ValueChange {
  readonly fieldId: number;
  readonly value: string | null;
  readonly rendered: string | null;
}

interface ValueRow {
  readonly userId: number;
  readonly fieldId: number;
  readonly value: string;
  readonly rendered: string | null;
}

const SELECT = `
  SELECT user_id AS "userId", field_id AS "fieldId", value, rendered FROM profile_values
  WHERE user_id = ANY($1::int[])
  ORDER BY user_id, field_id`;

const LOCK_ACCOUNT = `SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE`;

const LOCK_FIELDS = `SELECT id FROM profile_fields WHERE id = ANY($1::int[]) FOR KEY SHARE`;

const REMOVE = `
  DELETE FROM profile_values WHERE user_id = $1 AND field_id = ANY($2::int[])
  RETURNING field_id AS "fieldId", value`;

const ADD = `
  INSERT INTO profile_values (user_id, field_id, value, rendered)
  SELECT $1, * FROM unnest($2::int[], $3::text[], $4::text[])`;

/** The bytes of the values of an account as JSON, with their HTML: the lists of accounts have all of them. */
export const MAX_PROFILE_BYTES = 50_000;

const valuesOfUser = {
  table: 'profile_values',
  owner: 'user_id',
  texts: ['value', 'rendered'],
  maxBytes: MAX_PROFILE_BYTES,
} as const;

/** The values of accounts for the custom profile fields. */
@Injectable()
export class ProfileValueRepository implements ProfileDataReader {
  constructor(private readonly database: Database) {}

  /**
   * The values of accounts, read in one statement. The result omits accounts without values.
   */
  async profileDataOf(
    userIds: readonly number[],
    session: Session = this.database,
  ): Promise<Map<number, ProfileData>> {
    const rows = await session.query<ValueRow>('profile_data_of', SELECT, [userIds]);
    const data = new Map<number, Record<string, ProfileValue>>();
    const slice = new TimeSlice();
    for (const { userId, fieldId, value, rendered } of rows) {
      const ofUser = data.get(userId) ?? {};
      ofUser[fieldId] = { value, ...(rendered !== null && { rendered_value: rendered }) };
      data.set(userId, ofUser);
      await slice.next();
    }
    return data;
  }

  /** The given accounts that a field of users may contain: active people of the organisation, no bots. */
  async selectableUsers(realmId: number, userIds: readonly number[]): Promise<ReadonlySet<number>> {
    const people = await this.database.prisma.user.findMany({
      where: { realmId, id: { in: [...userIds] }, isActive: true, isBot: false },
      select: { id: true },
    });
    return new Set(people.map(({ id }) => id));
  }

  /** Whether the values of an account are small enough together, after the changes of the transaction. */
  async haveBytes(transaction: Transaction, userId: number): Promise<boolean> {
    return lockAndCheckBytes(transaction, valuesOfUser, userId);
  }

  /**
   * Changes values of one account, all or nothing. Values of deleted fields are ignored. `changes` contains each field
   * at most once. Resolves with those of the changes that set another value than the stored one.
   */
  async change(
    transaction: Transaction,
    userId: number,
    changes: readonly ValueChange[],
  ): Promise<ValueChange[]> {
    const fieldIds = changes.map(({ fieldId }) => fieldId);
    // These locks serialise the changes of an account and delay the deletion of the fields. A deletion also locks the
    // field before its values, so the two cannot deadlock.
    await transaction.query('lock_profile', LOCK_ACCOUNT, [userId]);
    const fields = await transaction.query<{ id: number }>('lock_profile_fields', LOCK_FIELDS, [
      fieldIds,
    ]);
    const present = new Set(fields.map(({ id }) => id));
    const removed = await transaction.query<Pick<ValueRow, 'fieldId' | 'value'>>(
      'remove_profile_values',
      REMOVE,
      [userId, fieldIds],
    );
    const wanted = changes.filter(({ fieldId }) => present.has(fieldId));
    await add(
      transaction,
      userId,
      wanted.filter(({ value }) => value !== null),
    );
    const stored = new Map(removed.map(({ fieldId, value }) => [fieldId, value]));
    return wanted.filter(({ fieldId, value }) => value !== (stored.get(fieldId) ?? null));
  }
}

async function add(
  transaction: Transaction,
  userId: number,
  added: readonly ValueChange[],
): Promise<void> {
  if (added.length === 0) return;
  await transaction.query('add_profile_values', ADD, [
    userId,
    added.map(({ fieldId }) => fieldId),
    added.map(({ value }) => value),
    added.map(({ rendered }) => rendered),
  ]);
}
