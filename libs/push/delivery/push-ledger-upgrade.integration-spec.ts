import { randomBytes, randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readTestStoresConfig } from '#platform/config';
import { applyMigrations, Database } from '#platform/database';

/** The first migration that the release of these statements did not have. */
const FIRST_NEW = '20261122162000';
const MIGRATIONS = join('prisma', 'migrations');

// What the previous release sends, with its lists of columns.
const ACCEPT = `
  WITH notification AS (
    INSERT INTO push_notifications (id, user_id, kind, content, expires_at, trace_parent)
    VALUES ($1, $2, 'test', '{"kind":"test","time":1}', now() + interval '1 hour', NULL)
  )
  INSERT INTO push_deliveries (notification_id, device_id, platform, fingerprint)
  VALUES ($1, $3, 'fcm', 'abc')`;
const REFUSE = `
  WITH changed AS (
    UPDATE push_deliveries SET state = 'rejected', attempts = attempts + 1
    WHERE notification_id = $1 AND device_id = $2 RETURNING notification_id, device_id
  )
  INSERT INTO push_dead_letters
    (notification_id, device_id, user_id, platform, kind, reason, fingerprint, payload)
  SELECT notification_id, device_id, $3::int, 'fcm', 'test', 'BadTopic', NULL, '{}' FROM changed
  ON CONFLICT (notification_id, device_id) DO NOTHING`;

describe('The ledger between two releases', () => {
  const server = new URL(readTestStoresConfig().databaseUrl);
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(`/${name}`, server).href;
  let admin: Database;
  let database: Database;
  let realmId: number;
  let userId: number;
  let deviceId: number;
  const [before, after] = [randomUUID(), randomUUID()];

  const letterOf = (id: string) =>
    database.prisma.pushDeadLetter.findFirstOrThrow({ where: { notificationId: id } });

  beforeAll(async () => {
    admin = new Database({ url: server.href, poolSize: 1 });
    await admin.prisma.$executeRawUnsafe(`CREATE DATABASE ${name}`);
    database = new Database({ url, poolSize: 2 });
    await applyOldMigrations(url);
    // Not by the client of the present schema, which names its columns.
    const rows = await database.query<{ realm_id: number; user_id: number; id: number }>(
      'world',
      `WITH realm AS (INSERT INTO realms (subdomain, name) VALUES ('', 'Chat') RETURNING id),
       account AS (
         INSERT INTO users (realm_id, delivery_email, email, full_name, role, api_key_hash, api_key_sealed)
         SELECT id, 'a@x', 'a@x', 'A', 400, 'hash', '' FROM realm RETURNING id, realm_id
       )
       INSERT INTO push_devices (user_id, platform, token, token_digest, key_generation)
       SELECT id, 'fcm', 't', 'digest', 1 FROM account
       RETURNING user_id, id, (SELECT realm_id FROM account)`,
    );
    [{ realm_id: realmId, user_id: userId, id: deviceId }] = rows as [(typeof rows)[0]];
    await database.query('accept', ACCEPT, [before, userId, deviceId]);
    await database.query('refuse', REFUSE, [before, deviceId, userId]);
    await applyMigrations(url);
  });

  afterAll(async () => {
    await database?.onApplicationShutdown();
    await admin.prisma.$executeRawUnsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.onApplicationShutdown();
  });

  it('keeps its rows, and dead letters get their copy', async () => {
    expect(await database.prisma.pushDelivery.count({ where: { notificationId: before } })).toBe(1);
    expect(await letterOf(before)).toMatchObject({
      content: { kind: 'test', time: 1 },
      acceptedAt: expect.any(Date),
      expiresAt: expect.any(Date),
    });
  });

  it('accepts the statements of the previous release, and fills new columns', async () => {
    // On the connection that prepared them before the migration as well.
    await database.query('accept', ACCEPT, [after, userId, deviceId]);
    await database.query('refuse', REFUSE, [after, deviceId, userId]);
    await database.query('refuse', REFUSE, [after, deviceId, userId]);
    const notification = await database.prisma.pushNotification.findFirstOrThrow({
      where: { id: after },
    });
    expect(notification.realmId).toBe(realmId);
    expect(
      await database.prisma.pushDelivery.findMany({ where: { notificationId: after } }),
    ).toEqual([
      expect.objectContaining({ realmId, acceptedAt: notification.acceptedAt, state: 'rejected' }),
    ]);
    expect(await letterOf(after)).toMatchObject({
      content: { kind: 'test', time: 1 },
      acceptedAt: notification.acceptedAt,
      expiresAt: notification.expiresAt,
    });
  });
});

async function applyOldMigrations(url: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-old-migrations-'));
  try {
    const names = (await readdir(MIGRATIONS)).filter((name) => /^\d/.test(name));
    for (const name of names.filter((one) => one < FIRST_NEW)) {
      await mkdir(join(folder, name));
      await cp(join(MIGRATIONS, name), join(folder, name), { recursive: true });
    }
    await applyMigrations(url, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
