import { Injectable } from '@nestjs/common';
import { jsonBytesOf, queryRow, type Transaction } from '#platform/database';

/** The submessages of a message. */
interface SubmessageState {
  readonly count: number;
  /** As JSON. */
  readonly bytes: number;
  /** The content of the first submessage; null without submessages. */
  readonly first: string | null;
}

/** A submessage to store. */
export interface NewSubmessage {
  readonly messageId: number;
  readonly senderId: number;
  readonly type: string;
  readonly content: string;
}

const STATE = `
  SELECT count(*)::int AS count, coalesce(sum(${jsonBytesOf(['content'])}), 0)::int AS bytes,
    (array_agg(content ORDER BY id))[1] AS first
  FROM submessages WHERE message_id = $1::bigint`;

const ADD = `
  INSERT INTO submessages (message_id, sender_id, type, content) VALUES ($1::bigint, $2, $3, $4)
  RETURNING id::bigint`;

/** The data of widgets in messages. */
@Injectable()
export class SubmessageRepository {
  /** The message must be locked. */
  async state(transaction: Transaction, messageId: number): Promise<SubmessageState> {
    const name = 'submessage_state';
    const [state] = await transaction.query<SubmessageState>(name, STATE, [messageId]);
    return state ?? { count: 0, bytes: 0, first: null };
  }

  /** Resolves with the id of the submessage. */
  async add(
    transaction: Transaction,
    { messageId, senderId, type, content }: NewSubmessage,
  ): Promise<number> {
    const values = [messageId, senderId, type, content];
    const { id } = await queryRow<{ id: number }>(transaction, 'add_submessage', ADD, values);
    return id;
  }
}
