import { createSystemGroups } from '#directory/groups';
import { roles } from '#directory/roles';
import type { Database } from '#platform/database';

// No user of the bench signs in with a password.
const USERS = `
  INSERT INTO users (realm_id, delivery_email, email, full_name, role, api_key_hash, api_key_sealed)
  SELECT $1, account.email, account.email, account.email, $2, account.api_key_hash, ''
  FROM unnest($3::text[], $4::bytea[]) AS account (email, api_key_hash)
  RETURNING id, email`;

// The same row as a registration over the API.
const DEVICES = `
  INSERT INTO push_devices (user_id, platform, token, token_digest, app_id, key_generation)
  SELECT account.id, $4, given.token, sha256(convert_to(given.token, 'UTF8')), $3,
    account.key_generation
  FROM unnest($1::int[], $2::text[]) AS given (user_id, token)
  JOIN users account ON account.id = given.user_id
  RETURNING id`;

// The same rows as after a registration over the API.
const CLIENT_DEVICES = `
  WITH given AS (
    SELECT account.realm_id, account.id AS user_id, account.key_generation, given.token,
      given.key_id, given.sealed_key, sha256(convert_to(given.token, 'UTF8')) AS digest
    FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bytea[])
      AS given (user_id, token, key_id, sealed_key)
    JOIN users account ON account.id = given.user_id
  ), device AS (
    INSERT INTO client_devices (
      realm_id, user_id, key_generation, push_key_id, push_key_sealed, push_token_id, platform,
      token_updated_at
    )
    SELECT realm_id, user_id, key_generation, key_id, sealed_key, substring(digest FOR 8), 'apns', now()
    FROM given
  )
  INSERT INTO push_registrations (realm_id, token_id, platform, token, token_digest, app_id)
  SELECT realm_id, substring(digest FOR 8), 'apns', token, digest, $5 FROM given`;

const REMOTE_DEVICES = `
  INSERT INTO remote_devices (
    server_id, realm_id, token_id, platform, token, token_digest, app_id
  )
  SELECT realm.server_id, realm.id, substring(digest FOR 8), 'apns', token, digest, $3
  FROM remote_realms realm
  CROSS JOIN unnest($2::text[]) AS token
  CROSS JOIN LATERAL (SELECT sha256(convert_to(token, 'UTF8')) AS digest) AS made
  WHERE realm.uuid = $1::uuid`;

// Every subscriber is notified of each message.
const SUBSCRIPTIONS = `
  INSERT INTO subscriptions (channel_id, user_id, push_notifications)
  SELECT $1, user_id, true FROM unnest($2::int[]) AS subscriber (user_id)`;

// The rows of an accepted test notification.
const PENDING = `
  WITH notification AS (
    INSERT INTO push_notifications (id, user_id, kind, content, expires_at)
    SELECT gen_random_uuid(), $1, 'test', '{"kind":"test","time":0}', now() + interval '1 day'
    FROM generate_series(1, $3)
    RETURNING id
  )
  INSERT INTO push_deliveries (notification_id, device_id, platform)
  SELECT id, $2, 'apns' FROM notification
  RETURNING notification_id`;

// The row that the presence program writes for last seen.
const LAST_SEEN = `
  INSERT INTO user_presence (user_id, realm_id, active_at, idle_at, update_id)
  SELECT seen.user_id, $1, seen.at, seen.at, seen.update_id
  FROM unnest($2::int[], $3::int[], $4::bigint[]) AS seen (user_id, at, update_id)`;

const COLUMN = `
  SELECT FROM information_schema.columns
  WHERE table_schema = 'public' AND table_name = $1 AND column_name = $2`;

/** Writes the organisations, accounts and devices of the bench to the database. */
export class BenchWorldRepository {
  constructor(private readonly database: Database) {}

  async createRealm(subdomain: string): Promise<number> {
    const { id } = await this.database.prisma.realm.create({
      data: { subdomain, name: subdomain },
    });
    return id;
  }

  /** Resolves with the ids of the new accounts by email address. */
  async createUsers(
    realmId: number,
    accounts: readonly { readonly email: string; readonly apiKeyHash: Buffer }[],
  ): Promise<Map<string, number>> {
    const rows = await this.database.query<{ id: number; email: string }>('bench_users', USERS, [
      realmId,
      roles.member,
      accounts.map(({ email }) => email),
      accounts.map(({ apiKeyHash }) => apiKeyHash),
    ]);
    return new Map(rows.map(({ id, email }) => [email, id]));
  }

  /** Writes a last seen time for all users. The presence program reads it when it loads the organisation. */
  async writeLastSeen(
    realmId: number,
    seen: readonly { readonly userId: number; readonly at: number; readonly updateId: number }[],
  ): Promise<void> {
    await this.database.query('bench_last_seen', LAST_SEEN, [
      realmId,
      seen.map(({ userId }) => userId),
      seen.map(({ at }) => at),
      seen.map(({ updateId }) => updateId),
    ]);
  }

  /** Creates a public channel whose subscribers are notified of each message; resolves with its id. */
  async createChannel(realmId: number, name: string, userIds: readonly number[]): Promise<number> {
    const [id = 0] = await this.createChannels(realmId, [{ name, userIds }]);
    return id;
  }

  /** The same for all channels of an organisation. */
  async createChannels(
    realmId: number,
    channels: readonly { readonly name: string; readonly userIds: readonly number[] }[],
  ): Promise<number[]> {
    await this.database.transaction((transaction) => createSystemGroups(transaction, realmId));
    const ids: number[] = [];
    for (const { name, userIds } of channels) {
      const { id } = await this.database.prisma.channel.create({ data: { realmId, name } });
      await this.database.query('bench_subscriptions', SUBSCRIPTIONS, [id, userIds]);
      ids.push(id);
    }
    // On a server with older rows, autovacuum would already have collected these statistics.
    await this.database.query('bench_analyze_subscriptions', 'ANALYZE subscriptions, users');
    return ids;
  }

  /**
   * Removes dead rows and renews the statistics, as autovacuum would do it: the PostgreSQL of the bench has none, because
   * it would begin in the middle of a round.
   */
  async vacuum(): Promise<void> {
    await this.database.query('bench_vacuum', 'VACUUM (ANALYZE)');
  }

  /** Whether the schema has this column: that of another build may be older. */
  async hasColumn(table: string, column: string): Promise<boolean> {
    return (await this.database.query('bench_column', COLUMN, [table, column])).length > 0;
  }

  /** The bytes of a table on disk, with its indexes. */
  async bytesOf(table: 'event_queues'): Promise<number> {
    const [row] = await this.database.query<{ bytes: number }>(
      'bench_bytes',
      'SELECT pg_total_relation_size($1::regclass) AS bytes',
      [table],
    );
    return row?.bytes ?? Number.NaN;
  }

  /** Creates a phone of an account for each token, by default an iPhone; resolves with the ids. */
  async createDevices(
    devices: readonly { readonly userId: number; readonly token: string }[],
    appId: string,
    platform: 'apns' | 'fcm' = 'apns',
  ): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>('bench_devices', DEVICES, [
      devices.map(({ userId }) => userId),
      devices.map(({ token }) => token),
      appId,
      platform,
    ]);
    // On a server with older rows, autovacuum would already have collected these statistics.
    await this.database.query('bench_analyze', 'ANALYZE push_devices');
    return rows.map(({ id }) => id);
  }

  /** Creates client devices with registered tokens of iPhones. */
  async createClientDevices(
    devices: readonly {
      readonly userId: number;
      readonly token: string;
      readonly keyId: number;
      readonly sealedKey: Buffer;
    }[],
    appId: string,
  ): Promise<void> {
    await this.database.query('bench_client_devices', CLIENT_DEVICES, [
      devices.map(({ userId }) => userId),
      devices.map(({ token }) => token),
      devices.map(({ keyId }) => keyId),
      devices.map(({ sealedKey }) => sealedKey),
      appId,
    ]);
    await this.database.query(
      'bench_analyze_clients',
      'ANALYZE client_devices, push_registrations',
    );
  }

  /** Stores tokens of iPhones for an organisation of a remote server. */
  async createRemoteDevices(
    realmUuid: string,
    tokens: readonly string[],
    appId: string,
  ): Promise<void> {
    const values = [realmUuid, tokens, appId];
    await this.database.query('bench_remote_devices', REMOTE_DEVICES, values);
    await this.database.query('bench_analyze_remotes', 'ANALYZE remote_devices');
  }

  /** Accepts test notifications of one device without creating jobs; resolves with their ids. */
  async acceptSilently(
    device: { readonly userId: number; readonly deviceId: number },
    count: number,
  ): Promise<string[]> {
    const rows = await this.database.query<{ notification_id: string }>('bench_pending', PENDING, [
      device.userId,
      device.deviceId,
      count,
    ]);
    return rows.map((row) => row.notification_id);
  }

  async forgetNotifications(): Promise<void> {
    await this.database.query('bench_forget', 'TRUNCATE push_notifications CASCADE');
  }
}
