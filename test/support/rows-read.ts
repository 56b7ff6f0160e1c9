import { roles } from '#directory/roles';
import type { Database, Session } from '#platform/database';

const READ = `
  SELECT seq_tup_read + idx_tup_fetch AS read
  FROM pg_stat_user_tables WHERE relname = $1`;

/**
 * Counts the rows of a table that some work reads. The work must use the connection of the session, because the
 * statistics of other connections arrive later.
 */
export async function rowsRead(
  session: Session,
  table: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const count = async (): Promise<number> => {
    await session.query('flush', 'SELECT pg_stat_force_next_flush()');
    const [row] = await session.query<{ read: number }>('rows_read', READ, [table]);
    return Number(row?.read);
  };
  const before = await count();
  await work();
  return (await count()) - before;
}

/** An organisation with a channel and many users, with up-to-date planner statistics. */
export async function addCrowdedRealm(session: Session): Promise<{ readonly id: number }> {
  const [realm] = await session.query<{ id: number }>(
    'add_realm',
    "INSERT INTO realms (subdomain, name) VALUES ('crowded', 'Crowded') RETURNING id",
  );
  if (realm === undefined) throw new Error('No organisation was added');
  await session.query(
    'add_crowd',
    `INSERT INTO users (realm_id, delivery_email, email, full_name, role, api_key_hash, api_key_sealed)
     SELECT $1, 'crowd' || number, 'crowd' || number, 'Crowd ' || number,
       CASE number WHEN 1 THEN 100 ELSE 400 END, sha256(number::text::bytea), ''
     FROM generate_series(1, 20000) AS number`,
    [realm.id],
  );
  await session.query('statistics', 'ANALYZE users');
  return realm;
}

/** An organisation with one member, for a test that adds many messages. */
export async function addReader({ prisma }: Database) {
  const { id: realmId } = await prisma.realm.create({ data: { subdomain: 'many', name: 'Many' } });
  const { id: userId } = await prisma.user.create({
    data: {
      realmId,
      deliveryEmail: 'reader@many.test',
      email: 'reader@many.test',
      fullName: 'Reader',
      role: roles.member,
      apiKeyHash: new Uint8Array([1]),
      apiKeySealed: new Uint8Array(),
    },
  });
  return { realmId, userId };
}

/**
 * Adds five thousand messages with one row each, and statistics by which PostgreSQL expects no more rows of any other message: rows of
 * one reader, or of as many accounts, so that it expects no more of any other account either.
 */
export async function addMessagesWithOneRow(
  database: Database,
  rowsOf: 'one reader' | 'different accounts',
) {
  const { realmId, userId } = await addReader(database);
  const { id: channelId } = await database.prisma.channel.create({
    data: { realmId, name: 'alerts' },
  });
  const reader = rowsOf === 'one reader' ? userId : null;
  await database.prisma.$executeRaw`
    WITH stored AS (
      INSERT INTO messages (realm_id, sender_id, channel_id, topic, content)
      SELECT ${realmId}, ${userId}, ${channelId}, 'lunch', 'Hello' FROM generate_series(1, 5000) RETURNING id
    )
    INSERT INTO user_messages (user_id, message_id) SELECT coalesce(${reader}::int, id), id FROM stored`;
  await database.prisma.$executeRaw`ANALYZE messages, user_messages`;
  return { realmId };
}
