import { Injectable } from '@nestjs/common';
import {
  boundedEntries,
  Database,
  lockAndCheckBytes,
  lockAndCheckRoom,
  queryRow,
  type Session,
  type Transaction,
} from '#platform/database';

/** The parts of a scheduled message that its author may change. */
export interface ScheduledContent {
  /** Null for a message to people. */
  readonly channelId: number | null;
  /** The recipients of a message to people. */
  readonly toIds: readonly number[];
  /** Empty for a message to people. */
  readonly topic: string;
  /** Markdown. */
  readonly content: string;
  /** HTML. */
  readonly rendered: string;
  readonly deliverAt: Date;
}

/** A message that is sent later. */
export interface ScheduledMessage extends ScheduledContent {
  readonly id: number;
  readonly userId: number;
  readonly client: string;
  readonly isReadBySender: boolean;
  readonly hasFailed: boolean;
  /** Raised by each edit and by a failure. */
  readonly version: number;
}

/** A message whose time has come. */
export interface DueMessage extends ScheduledMessage {
  /** By the clock of PostgreSQL: those of the gateways may be wrong. */
  readonly lateMs: number;
}

/** The scheduled messages of an account. */
export const MAX_SCHEDULED = 1000;

/** Their bytes as JSON: answers and registrations have all of them. */
export const MAX_SCHEDULED_BYTES = 4_000_000;

const scheduledOfUser = {
  table: 'scheduled_messages',
  owner: 'user_id',
  texts: ['content', 'rendered', 'topic', 'to_ids::text'],
  maxBytes: MAX_SCHEDULED_BYTES,
} as const;

const COLUMNS = `
  id, user_id AS "userId", channel_id AS "channelId", to_ids AS "toIds", topic, content, rendered, client,
  is_read_by_sender AS "isReadBySender", deliver_at AS "deliverAt", due_at IS NULL AS "hasFailed", version`;

const LIST = `
  SELECT ${COLUMNS} FROM ${boundedEntries(scheduledOfUser, 'deliver_at, id')} AS scheduled
  ORDER BY deliver_at, id LIMIT 10000`;

// The messages are sent by the same clock. That of a gateway may be wrong.
const IS_FUTURE = `SELECT $1::timestamptz > clock_timestamp() AS "isFuture"`;

const FIND = `SELECT ${COLUMNS} FROM scheduled_messages WHERE user_id = $1 AND id = $2`;

const CREATE = `
  INSERT INTO scheduled_messages
    (user_id, channel_id, to_ids, topic, content, rendered, deliver_at, due_at, client, is_read_by_sender)
  VALUES ($1, $2, $3::int[], $4, $5, $6, $7, $7, $8, $9)
  RETURNING ${COLUMNS}`;

const UPDATE = `
  UPDATE scheduled_messages SET channel_id = $3, to_ids = $4::int[], topic = $5, content = $6, rendered = $7,
    deliver_at = $8, due_at = $8, version = version + 1
  WHERE id = $1 AND version = $2
  RETURNING ${COLUMNS}`;

const DELETE = `DELETE FROM scheduled_messages WHERE user_id = $1 AND id = $2 RETURNING id`;

// The lease: other processes skip the messages until then, and take them over if this process dies.
const LEASE = `
  UPDATE scheduled_messages SET due_at = now() + $2 * interval '1 millisecond'
  FROM (
    SELECT id AS due_id FROM scheduled_messages WHERE due_at <= now()
    ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE id = due_id
  RETURNING ${COLUMNS}, (extract(epoch FROM now() - deliver_at) * 1000)::float8 AS "lateMs"`;

const CLAIM = `DELETE FROM scheduled_messages WHERE id = $1 AND version = $2 RETURNING id`;

const FAIL = `
  UPDATE scheduled_messages SET due_at = NULL, version = version + 1
  WHERE id = $1 AND version = $2
  RETURNING ${COLUMNS}`;

const valuesOf = (message: ScheduledContent) => [
  message.channelId,
  message.toIds,
  message.topic,
  message.content,
  message.rendered,
  message.deliverAt,
];

/** The messages that accounts have scheduled, and their delivery. */
@Injectable()
export class ScheduledMessageRepository {
  constructor(private readonly database: Database) {}

  /** The messages of an account in the order of their times. */
  async list(userId: number, session: Session = this.database): Promise<ScheduledMessage[]> {
    return session.query<ScheduledMessage>('scheduled_messages', LIST, [userId]);
  }

  /** Whether a time has not come yet. */
  async isFuture(time: Date): Promise<boolean> {
    const { isFuture } = await queryRow<{ readonly isFuture: boolean }>(
      this.database,
      'is_future_time',
      IS_FUTURE,
      [time],
    );
    return isFuture;
  }

  /** Null when the account has no such message. */
  async find(userId: number, id: number): Promise<ScheduledMessage | null> {
    const values = [userId, id];
    const [row] = await this.database.query<ScheduledMessage>('scheduled_message', FIND, values);
    return row ?? null;
  }

  /** Whether the messages of the account are small enough together, after the changes of the transaction. */
  async haveBytes(transaction: Transaction, userId: number): Promise<boolean> {
    return lockAndCheckBytes(transaction, scheduledOfUser, userId);
  }

  /** Resolves with the new message; null when the account already has MAX_SCHEDULED. */
  async create(
    transaction: Transaction,
    message: Omit<ScheduledMessage, 'id' | 'hasFailed' | 'version'>,
  ): Promise<ScheduledMessage | null> {
    const { userId, client, isReadBySender } = message;
    if (!(await lockAndCheckRoom(transaction, scheduledOfUser, userId, MAX_SCHEDULED))) return null;
    const values = [userId, ...valuesOf(message), client, isReadBySender];
    const name = 'create_scheduled_message';
    const [row] = await transaction.query<ScheduledMessage>(name, CREATE, values);
    return row ?? null;
  }

  /** Changes a message that is still as it was read; null for one that was changed, sent or deleted since. */
  async update(
    transaction: Transaction,
    { id, version }: ScheduledMessage,
    changed: ScheduledContent,
  ): Promise<ScheduledMessage | null> {
    const values = [id, version, ...valuesOf(changed)];
    const name = 'update_scheduled_message';
    const [row] = await transaction.query<ScheduledMessage>(name, UPDATE, values);
    return row ?? null;
  }

  /** False when the account has no such message. */
  async delete(transaction: Transaction, userId: number, id: number): Promise<boolean> {
    const rows = await transaction.query('delete_scheduled_message', DELETE, [userId, id]);
    return rows.length > 0;
  }

  /** Takes some messages whose time has come; no other process gets them during the lease. */
  async lease(most: number, milliseconds: number): Promise<DueMessage[]> {
    const values = [most, milliseconds];
    return this.database.query<DueMessage>('lease_scheduled_messages', LEASE, values);
  }

  /** Deletes a message that is sent in the same transaction; false for one that was changed, sent or deleted meanwhile. */
  async claim(transaction: Transaction, { id, version }: ScheduledMessage): Promise<boolean> {
    const values = [id, version];
    return (await transaction.query('claim_scheduled_message', CLAIM, values)).length > 0;
  }

  /** Marks a message that cannot be sent; null for one that was changed, sent or deleted meanwhile. */
  async fail(
    transaction: Transaction,
    { id, version }: ScheduledMessage,
  ): Promise<ScheduledMessage | null> {
    const name = 'fail_scheduled_message';
    const [row] = await transaction.query<ScheduledMessage>(name, FAIL, [id, version]);
    return row ?? null;
  }
}
