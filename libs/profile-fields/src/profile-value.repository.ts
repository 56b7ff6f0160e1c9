import { Injectable } from '@nestjs/common';
import { Database } from '#database';

/** A value as clients receive it. */
export interface ProfileValue {
  readonly value: string;
  /** The HTML of a text that may hold Markdown; absent for other types. */
  readonly rendered_value?: string;
}

/** What an account has filled in, by the ids of the fields. */
export type ProfileData = Readonly<Record<string, ProfileValue>>;

/** What becomes of one value of an account; null removes it. */
export interface ValueChange {
  readonly fieldId: number;
  readonly value: string | null;
  readonly rendered: string | null;
}

interface ValueRow {
  user_id: number;
  field_id: number;
  value: string;
  rendered: string | null;
}

const SELECT = `
  SELECT user_id, field_id, value, rendered FROM profile_values
  WHERE user_id = ANY($1::int[])
  ORDER BY user_id, field_id`;

@Injectable()
export class ProfileValueRepository {
  constructor(private readonly database: Database) {}

  /**
   * What these accounts have filled in, in one statement however many they are. An account that has
   * filled in nothing is not in the answer.
   */
  async profileDataOf(userIds: readonly number[]): Promise<Map<number, ProfileData>> {
    const rows = await this.database.query<ValueRow>('profile_data_of', SELECT, [userIds]);
    const data = new Map<number, Record<string, ProfileValue>>();
    for (const { user_id, field_id, value, rendered } of rows) {
      const ofUser = data.get(user_id) ?? {};
      ofUser[field_id] = { value, ...(rendered !== null && { rendered_value: rendered }) };
      data.set(user_id, ofUser);
    }
    return data;
  }

  /**
   * Changes values of one account, all or nothing; those of fields that have been deleted in the
   * meantime are left out. Names each field once.
   */
  async change(userId: number, changes: readonly ValueChange[]): Promise<void> {
    const fieldIds = changes.map(({ fieldId }) => fieldId);
    await this.database.prisma.$transaction(async (transaction) => {
      // The changes of an account take turns, and a field is not deleted meanwhile: whoever deletes one
      // takes it before its values, and so does this, so that no two wait for each other.
      await transaction.$queryRaw`SELECT id FROM users WHERE id = ${userId} FOR NO KEY UPDATE`;
      const fields = await transaction.$queryRaw<{ id: number }[]>`
        SELECT id FROM profile_fields WHERE id = ANY(${fieldIds}::int[]) FOR KEY SHARE`;
      const present = new Set(fields.map(({ id }) => id));
      await transaction.profileValue.deleteMany({ where: { userId, fieldId: { in: fieldIds } } });
      await transaction.profileValue.createMany({
        data: changes.flatMap(({ fieldId, value, rendered }) =>
          value === null || !present.has(fieldId) ? [] : [{ userId, fieldId, value, rendered }],
        ),
      });
    });
  }
}
