import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startHealthServer } from '#platform/core';
import { SettingsComparison, SettingsReportStore } from '#platform/shared-settings';
import { freePorts } from '#test/free-ports';
import { OperatedWorld } from '#test/push-operate-world';
import { RecordingTerminal } from '#test/recording-terminal';
import { createEmptyDatabase, testRedisUrl } from '#test/test-stores';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { useFixture, useFolder } from '#test/use-fixture';
import { runCommandLine } from './run-command-line.js';

const world = useFixture(() => OperatedWorld.start());
const folder = useFolder();

/** Runs the command with more or other variables. */
async function doctor(variables: Readonly<Record<string, string>> = {}) {
  const terminal = new RecordingTerminal();
  const environment = {
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: testRedisUrl(),
    EXTERNAL_URL: 'https://chat.example.org',
    ...variables,
  };
  const settings = { environment, queuePrefix: world.prefix };
  const exitCode = await runCommandLine(['doctor', '--json'], terminal, settings);
  expect(terminal.remarks).toBe('');
  const { findings } = JSON.parse(terminal.output) as {
    findings: { readonly part: string; readonly level: string; readonly text: string }[];
  };
  const of = (part: string) => findings.filter((finding) => finding.part.startsWith(part));
  return { exitCode, of };
}

describe('carillon doctor', () => {
  it('checks stores, migrations and notifications', async () => {
    const { exitCode, of } = await doctor();
    expect(of('PostgreSQL')).toMatchObject([{ level: 'ok' }]);
    expect(of('Migrations')).toMatchObject([{ level: 'ok' }]);
    // The Redis of tests keeps nothing on disk, and no worker runs.
    expect(of('Redis').map(({ level }) => level)).not.toContain('ok');
    expect(of('Notifications')).toContainEqual(
      expect.objectContaining({ level: 'problem', text: expect.stringContaining('worker') }),
    );
    expect(exitCode).toBe(1);
  });

  it('names stores that are down', async () => {
    const [port = 0] = await freePorts(1);
    const address = `127.0.0.1:${port}`;
    const { exitCode, of } = await doctor({
      DATABASE_URL: `postgresql://carillon:secret@${address}/carillon`,
      REDIS_URL: `redis://:secret@${address}`,
    });
    expect(exitCode).toBe(1);
    expect(of('PostgreSQL')).toMatchObject([
      { level: 'problem', text: expect.stringContaining(address) },
    ]);
    expect(of('Redis')).toMatchObject([
      { level: 'problem', text: expect.stringContaining('ECONNREFUSED') },
    ]);
    expect(JSON.stringify(of(''))).not.toContain('secret');
  });

  it('names the keys and channels that the user of Redis may not use', async () => {
    const server = await ThrowawayRedis.start();
    try {
      await server.run(async (redis) => {
        const rules = ['~carillon:*', '~rate:*', '~push*', 'resetchannels', '+@all'];
        await redis.acl('SETUSER', 'limited', 'on', '>secret', ...rules);
        await redis.acl('SETUSER', 'reader', 'on', '>secret', '~*', '&*', '+@all', '-@write');
      });
      const textsOf = async (user: string) => {
        const url = new URL(server.url);
        url.username = user;
        url.password = 'secret';
        return (await doctor({ REDIS_URL: url.href })).of('Redis').map(({ text }) => text);
      };
      expect(await textsOf('limited')).toContain(
        'Its user may not use scripts that write keys auth:*, channels carillon:*.',
      );
      expect(await textsOf('reader')).toContainEqual(
        expect.stringContaining('scripts that write keys carillon:*, '),
      );
    } finally {
      await server.remove();
    }
  });

  /** The texts about PostgreSQL for a role that these statements change. */
  async function textsAs(
    statements: (role: string) => readonly string[],
    variables: Readonly<Record<string, string>> = {},
  ): Promise<string[]> {
    const { prisma } = world.database;
    const role = `role_${Math.random().toString(36).slice(2)}`;
    for (const text of [
      `CREATE ROLE ${role} LOGIN PASSWORD 'secret'`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
      ...statements(role),
    ]) {
      await prisma.$executeRawUnsafe(text);
    }
    try {
      const url = new URL(world.databaseUrl);
      url.username = role;
      url.password = 'secret';
      const { of } = await doctor({ ...variables, DATABASE_URL: url.href });
      return of('PostgreSQL').map(({ text }) => text);
    } finally {
      await prisma.$executeRawUnsafe(`DROP OWNED BY ${role}`);
      await prisma.$executeRawUnsafe(`DROP ROLE ${role}`);
    }
  }

  it('names the tables that the role may not use, and a role that only reads', async () => {
    const texts = await textsAs((role) => [
      `REVOKE UPDATE ON push_deliveries FROM ${role}`,
      `REVOKE INSERT ON _prisma_migrations FROM ${role}`,
      `ALTER ROLE ${role} SET default_transaction_read_only = on`,
    ]);
    expect(texts).toEqual([
      'Transactions of the role are read-only.',
      'The role may not read and write push_deliveries.',
    ]);
  });

  it('names the time zone of the role where a pooler shares connections', async () => {
    const inZone = (name: string, variables?: Record<string, string>) =>
      textsAs((role) => [`ALTER ROLE ${role} SET timezone = '${name}'`], variables);
    const pooled = { DATABASE_POOL_MODE: 'transaction' };
    const wrong = [expect.stringContaining('The time zone of sessions is Europe/London')];
    expect(await inZone('Europe/London', pooled)).toEqual(wrong);
    expect(await inZone('Etc/UTC', pooled)).toEqual([expect.stringContaining('Version')]);
    // Otherwise each connection sets its own time zone.
    expect(await inZone('Europe/London')).toEqual([expect.stringContaining('Version')]);
  });

  it('names the programs of which no process reports', async () => {
    const server = await ThrowawayRedis.start();
    const missing = (name: string) => ({
      level: 'problem',
      text: `No ${name} process has reported for 30 seconds.`,
    });
    try {
      expect((await doctor({ REDIS_URL: server.url })).of('Programs')).toMatchObject(
        ['api-gateway', 'presence', 'push-worker'].map(missing),
      );
      await server.run(async (redis) => {
        const store = new SettingsReportStore(redis);
        for (const program of ['api-gateway', 'push-worker']) {
          await new SettingsComparison(program, {}, store, Date.now).compare();
        }
      });
      expect((await doctor({ REDIS_URL: server.url })).of('Programs')).toMatchObject([
        missing('presence'),
      ]);
    } finally {
      await server.remove();
    }
    // Without Redis, nothing is known of the programs.
    expect((await doctor({ REDIS_URL: server.url })).of('Programs')).toEqual([]);
  });

  it('names the settings that running programs do not share, and those with wrong clocks', async () => {
    const server = await ThrowawayRedis.start();
    try {
      expect((await doctor({ REDIS_URL: server.url })).of('Settings')).toEqual([]);
      await server.run(async (redis) => {
        const store = new SettingsReportStore(redis);
        for (const [program, value] of [
          ['api-gateway', 'a'],
          ['presence', 'b'],
        ] as const) {
          const settings = { PRESENCE_PING_SECONDS: value };
          const clock = () => Date.now() + (program === 'presence' ? 600_000 : 0);
          await new SettingsComparison(program, settings, store, clock).compare();
        }
      });
      expect((await doctor({ REDIS_URL: server.url })).of('Clocks')).toEqual([
        expect.objectContaining({
          level: 'problem',
          text: expect.stringMatching(/^presence .*: the clock is 600 s ahead of that of Redis\.$/),
        }),
      ]);
      expect((await doctor({ REDIS_URL: server.url })).of('Settings')).toEqual([
        expect.objectContaining({
          level: 'problem',
          text: expect.stringMatching(/^PRESENCE_PING_SECONDS differs: .*api-gateway.*presence/),
        }),
      ]);
    } finally {
      await server.remove();
    }
  });

  it('reads the credentials with the variables of a push worker', async () => {
    const file = path.join(folder.path, 'key.p8');
    await writeFile(file, 'no key');
    const { of } = await doctor({
      APNS_KEY_FILE: file,
      APNS_KEY_ID: 'KEY1234567',
      APNS_TEAM_ID: 'TEAM123456',
    });
    expect(of('Credentials of Apple')).toMatchObject([
      { level: 'problem', text: expect.stringContaining('private key') },
    ]);
  });

  it('checks the disk of the uploads with the variables of a gateway', async () => {
    const secret = Buffer.alloc(32, 7).toString('base64');
    const gateway = { API_KEY_SECRET: secret, PRESENCE_SECRET: secret };
    const { of } = await doctor({ ...gateway, UPLOADS_DIR: folder.path });
    expect(of(`Uploads in ${folder.path}`)).toMatchObject([
      { text: expect.stringContaining('GiB') },
    ]);
    const elsewhere = await doctor({ ...gateway, DATA_DIR: path.join(folder.path, 'none') });
    expect(elsewhere.of('Uploads')).toEqual([]);
    const missing = await doctor({ ...gateway, UPLOADS_DIR: path.join(folder.path, 'none') });
    expect(missing.of('Uploads')).toMatchObject([{ level: 'problem' }]);
  });

  it('names unusable variables only where the program would run', async () => {
    const incomplete = { APNS_KEY_ID: 'KEY1234567' };
    expect((await doctor(incomplete)).of('push-worker')).toEqual([]);
    const { exitCode, of } = await doctor({ ...incomplete, PUSH_QUEUES: 'apns' });
    expect(of('push-worker')).toMatchObject([
      { level: 'problem', text: expect.stringContaining('APNS_KEY_FILE is not set') },
    ]);
    expect(exitCode).toBe(1);
  });

  it('asks the programs whose variables are set whether they are ready', async () => {
    const [port = 0] = await freePorts(1);
    const at = { PUSH_QUEUES: 'apns', PUSH_HEALTH_HOST: '0.0.0.0', PUSH_HEALTH_PORT: `${port}` };
    expect((await doctor(at)).of('push-worker')).toMatchObject([
      { level: 'problem', text: `It does not answer at 127.0.0.1:${port}.` },
    ]);
    let isFailing = true;
    const check = async () => {
      if (isFailing) throw new Error('does not answer');
    };
    const server = await startHealthServer({ host: '0.0.0.0', port }, [{ name: 'redis', check }]);
    try {
      expect((await doctor(at)).of('push-worker')).toMatchObject([
        { level: 'problem', text: 'Not ready: redis: does not answer.' },
      ]);
      isFailing = false;
      expect((await doctor(at)).of('push-worker')).toMatchObject([{ level: 'ok' }]);
    } finally {
      server.close();
    }
  });

  it('checks only the program of a container, although Compose gives it the variables of all', async () => {
    const [port = 0] = await freePorts(1);
    const common = { APNS_KEY_FILE: path.join(folder.path, 'not-here.p8'), S3_BUCKET: 'files' };
    const inWorker = await doctor({ ...common, PUSH_HEALTH_PORT: `${port}` });
    expect(inWorker.of('api-gateway')).toEqual([]);
    expect(inWorker.of('push-worker')).toMatchObject([{ level: 'problem' }]);
    const inGateway = await doctor({ ...common, GATEWAY_METRICS_PORT: `${port}` });
    expect([...inGateway.of('push-worker'), ...inGateway.of('Credentials')]).toEqual([]);
    expect(inGateway.of('api-gateway')).toMatchObject([{ level: 'problem' }]);
  });

  it('asks for the migration step, and not for PostgreSQL, on an empty database', async () => {
    const database = await createEmptyDatabase();
    try {
      const { of } = await doctor({ DATABASE_URL: database.url });
      expect(of('Migrations')).toMatchObject([{ level: 'problem' }]);
      expect(of('Notifications')).toEqual([]);
    } finally {
      await database.drop();
    }
  });

  it('names misspelt variables', async () => {
    const { of } = await doctor({ PUSH_CONCURENCY: '9' });
    expect(of('Variables')).toMatchObject([
      { level: 'warning', text: 'No program reads PUSH_CONCURENCY.' },
    ]);
  });
});
