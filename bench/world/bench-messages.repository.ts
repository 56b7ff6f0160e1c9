import type { Database, Transaction } from '#platform/database';

/** Words of different frequencies; one message in a thousand has the word that is searched for. */
const MESSAGES = `
  INSERT INTO messages (realm_id, sender_id, channel_id, topic, content, rendered)
  SELECT $1, ($3::int[])[1 + number % array_length($3::int[], 1)], $2, 'topic ' || number % 100,
    text.content, '<p>' || text.content || '</p>'
  FROM generate_series(1, $4::int) AS number
  CROSS JOIN LATERAL (
    SELECT 'Meeting about word' || number % 5000 || ' and word' || number % 77
      || ', see **below**.' || CASE WHEN number % 1000 = 0 THEN ' Needle.' ELSE '' END AS content
  ) AS text`;

/** One message in a hundred mentions the reader. All are read. */
const RECEIVED = `
  INSERT INTO user_messages (user_id, message_id, is_read, is_mentioned)
  SELECT $1, id, true, id % 100 = 0 FROM (
    SELECT id FROM messages WHERE channel_id = $2 ORDER BY id DESC LIMIT $3
  ) AS newest`;

const DIRECT = `
  WITH conversation AS (
    INSERT INTO direct_conversations (realm_id, key) VALUES ($1, array_to_string($2::int[], ',')) RETURNING id
  ), member AS (
    INSERT INTO direct_conversation_members (conversation_id, user_id)
    SELECT id, unnest($2::int[]) FROM conversation
  ), message AS (
    INSERT INTO messages (realm_id, sender_id, conversation_id, content, rendered)
    SELECT $1, ($2::int[])[1 + number % 2], conversation.id, 'Hello', '<p>Hello</p>'
    FROM conversation CROSS JOIN generate_series(1, $3::int) AS number RETURNING id
  )
  INSERT INTO user_messages (user_id, message_id, is_read)
  SELECT user_id, message.id, true FROM message CROSS JOIN unnest($2::int[]) AS user_id`;

const UNREAD = `
  UPDATE user_messages SET is_read = false WHERE user_id = $1 AND message_id IN (
    SELECT message_id FROM user_messages WHERE user_id = $1 ORDER BY message_id DESC LIMIT $2
  )`;

/** Indexes that no constraint needs. */
const INDEXES = `
  SELECT class.relname AS name, pg_get_indexdef(class.oid) AS definition
  FROM pg_index JOIN pg_class class ON class.oid = pg_index.indexrelid
  WHERE pg_index.indrelid IN ('messages'::regclass, 'user_messages'::regclass)
    AND NOT EXISTS (SELECT FROM pg_constraint rule WHERE rule.conindid = class.oid)`;

/** For this transaction: no time limit, no check of foreign keys, and memory for building indexes. */
const BULK = `
  SELECT set_config('statement_timeout', '0', true), set_config('session_replication_role', 'replica', true),
    set_config('maintenance_work_mem', '1GB', true)`;

const SCANS = `
  SELECT coalesce(sum(seq_scan), 0) AS scans FROM pg_stat_user_tables
  WHERE relname IN ('messages', 'user_messages')`;

/** A channel of many messages of several senders. The reader has received the newest of them. */
interface MessagesPlan {
  readonly realmId: number;
  readonly channelId: number;
  readonly readerId: number;
  readonly senderIds: readonly number[];
  readonly count: number;
  readonly received: number;
}

/** Writes messages in bulk, and counts the scans of their tables. */
export class BenchMessagesRepository {
  constructor(private readonly database: Database) {}

  /** Builds the indexes after the rows, which takes a fraction of the time for millions of messages. */
  async create(plan: MessagesPlan): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query('bench_bulk', BULK);
      const indexes = await transaction.query<Index>('bench_indexes', INDEXES);
      for (const { name } of indexes) await run(transaction, `DROP INDEX "${name}"`);
      const { realmId, channelId, readerId, senderIds, count, received } = plan;
      const values = [realmId, channelId, senderIds, count];
      await transaction.query('bench_messages', MESSAGES, values);
      await transaction.query('bench_direct', DIRECT, [
        realmId,
        [readerId, senderIds[0] ?? 0].toSorted((one, other) => one - other),
        DIRECT_MESSAGES,
      ]);
      await run(transaction, 'ANALYZE messages');
      await transaction.query('bench_received', RECEIVED, [readerId, channelId, received]);
      for (const { definition } of indexes) await run(transaction, definition);
    });
    // On a server with older rows, autovacuum would already have done this.
    for (const table of ['messages', 'user_messages']) {
      await this.database.query(`bench_vacuum_${table}`, `VACUUM (BUFFER_USAGE_LIMIT 0) ${table}`);
    }
    await this.database.query('bench_analyze_messages', 'ANALYZE messages, user_messages');
  }

  /** Marks the newest messages of an account as unread again. */
  async markUnread(userId: number, count: number): Promise<void> {
    await this.database.query('bench_unread', UNREAD, [userId, count]);
  }

  /** The sequential scans of the tables of messages so far; see `DatabaseMeter.settle`. */
  async sequentialScans(): Promise<number> {
    const [row] = await this.database.query<{ scans: string }>('bench_scans', SCANS);
    return Number(row?.scans);
  }
}

interface Index {
  readonly name: string;
  readonly definition: string;
}

const DIRECT_MESSAGES = 1000;

const run = (transaction: Transaction, text: string): Promise<object[]> =>
  transaction.query(text.slice(0, 60), text);
