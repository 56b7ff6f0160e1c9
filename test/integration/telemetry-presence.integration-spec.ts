import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext, ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DatabaseModule } from '#platform/database';
import { Metrics } from '#platform/telemetry';
import { PresenceClient, PresenceClientModule } from '#presence/client';
import { PresenceServiceModule } from '#presence/server';
import { eventually } from '#test/eventually';
import { freePorts } from '#test/free-ports';
import { greetGateway, presenceFrame } from '#test/presence-greeting';
import { nowSeconds, PresenceRealm } from '#test/presence-realm';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { connectionEnd, createFakeServer } from '#test/fake-server';
import { useDatabase, useFixture } from '#test/use-fixture';

const HOST = '127.0.0.1';
const secret = randomBytes(32);

/** A program whose metrics a test reads. */
class Program {
  private constructor(readonly app: INestApplicationContext) {}

  static async start(imports: NonNullable<ModuleMetadata['imports']>): Promise<Program> {
    const module = { module: class ProgramModule {}, imports };
    return new Program(await NestFactory.createApplicationContext(module, { logger: false }));
  }

  get text(): Promise<string> {
    return this.app.get(Metrics, { strict: false }).read();
  }

  /** The value of a series of presence, given by its name and labels. */
  async value(series: string): Promise<number> {
    const start = `carillon_presence_${series} `;
    const line = (await this.text).split('\n').find((one) => one.startsWith(start));
    if (line === undefined) throw new Error(`${series} is missing`);
    return Number(line.slice(start.length));
  }

  async values(...series: string[]): Promise<number[]> {
    return Promise.all(series.map((one) => this.value(one)));
  }

  stop(): Promise<void> {
    return this.app.close();
  }
}

describe('The telemetry of presence', () => {
  const stores = useDatabase();
  const redis = useFixture(() => ThrowawayRedis.start());
  let realm: PresenceRealm;
  let ann: number;
  let ben: number;
  let ports: number[];
  let presence: Program;
  let gateway: Program;
  let client: PresenceClient;

  beforeEach(async () => {
    realm = await PresenceRealm.create(stores.database);
    [ann = 0, ben = 0] = await realm.addUsers(2);
    ports = await freePorts(2);
    presence = await startPresence();
    gateway = await startGateway(ports.slice(0, 1));
    await eventually(() => expect(client.isConnected).toBe(true));
  });

  afterEach(async () => {
    await gateway.stop();
    await presence.stop();
  });

  const startPresence = (): Promise<Program> =>
    Program.start([
      DatabaseModule.connect({ url: stores.url, poolSize: 3 }),
      PresenceServiceModule.serve({
        redisUrl: redis.url,
        batchMs: 1,
        flushSeconds: 600,
        limitsAccess: false,
        rpc: { host: HOST, port: ports[0] ?? 0 },
        secret,
      }),
    ]);

  async function startGateway(known: readonly number[]): Promise<Program> {
    const addresses = known.map((port) => ({ host: HOST, port }));
    const program = await Program.start([
      PresenceClientModule.connect({ addresses, deadlineMs: 2000, secret }),
    ]);
    client = program.app.get(PresenceClient, { strict: false });
    return program;
  }

  const report = (userId: number, reportedAt = nowSeconds()) =>
    client.report(realm.request(userId, { reportedAt }));

  it('counts reports, calls and answers', async () => {
    await report(ann);
    await report(ann);
    await client.report(realm.poll(ben));
    expect(
      await presence.values(
        'reports_accepted_total',
        'reports_suppressed_total',
        'batch_reports_bucket{le="1"}',
        'replica_loads_total{reason="first"}',
        'realms{replica="following"}',
        'realms{replica="missing"}',
        'replicated_users',
        'connections',
        'calls',
        'call_seconds_count',
        'stale_seconds',
        'stale_answers_total',
      ),
    ).toEqual([1, 1, 1, 1, 1, 0, 1, 1, 0, 3, 0, 0]);
    expect(
      await gateway.values(
        'client_calls_total{result="answered"}',
        'client_calls_total{result="unanswered"}',
        'client_call_seconds_count',
        'client_connections',
        'client_addresses',
      ),
    ).toEqual([3, 0, 3, 1, 1]);
  });

  it('counts answers by kind, and their entries', async () => {
    await report(ann);
    await client.report(realm.request(ann, { pingOnly: true }));
    await client.report(realm.poll(ben, Number.MAX_SAFE_INTEGER));
    expect(
      await presence.values(
        'answers_total{kind="own"}',
        'answers_total{kind="ping"}',
        'answers_total{kind="empty"}',
        'answer_entries_count',
        'answer_entries_sum',
        'cursors_ahead_total',
      ),
    ).toEqual([1, 1, 1, 2, 1, 1]);
  });

  it('contains neither users nor realms', async () => {
    await report(ann);
    const text = `${await presence.text}${await gateway.text}`;
    const labels = text.split('\n').filter((line) => /^carillon_presence_.*\{/.test(line));
    expect(labels.length).toBeGreaterThan(0);
    const names = new Set(
      labels.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map((m) => m[1])),
    );
    expect(names).toEqual(new Set(['kind', 'le', 'replica', 'reason', 'result']));
    expect(labels.join('')).not.toContain(String(realm.id));
  });

  it('shows an outage of Redis and the buffered users, until Redis is back', async () => {
    await report(ann);
    await redis.kill();
    await report(ben);
    const early = await eventually(async () => {
      const [staleSeconds = 0, bufferedUsers] = await presence.values(
        'stale_seconds',
        'held_users',
      );
      expect([staleSeconds > 0, bufferedUsers]).toEqual([true, 1]);
      return staleSeconds;
    });
    await eventually(async () => {
      expect(await presence.value('stale_seconds')).toBeGreaterThan(early);
    });
    expect(await presence.value('stale_answers_total')).toBeGreaterThan(0);

    await redis.startAgain();
    await eventually(async () => {
      const series = ['stale_seconds', 'held_users', 'replicated_users'];
      expect(await presence.values(...series)).toEqual([0, 0, 2]);
    });
    // Redis restarted without data.
    const [loads = 0, epochs = 0, restored = 0] = await presence.values(
      'replica_loads_total{reason="lost"}',
      'epoch_changes_total',
      'restored_entries_total',
    );
    expect([loads, epochs, restored].every((count) => count > 0)).toBe(true);
  });

  it('distinguishes a Redis that refuses writes from an outage', async () => {
    await report(ann);
    const limit = (bytes: string) => redis.run((to) => to.config('SET', 'maxmemory', bytes));
    await limit('1');
    await report(ben);
    let before = 0;
    // Presence reconnects again and again, so no outage lasts long.
    await eventually(async () => {
      const [now = 0, bufferedUsers] = await presence.values('stale_seconds', 'held_users');
      const hasBegunAnew = now < before;
      before = now;
      expect([hasBegunAnew, bufferedUsers]).toEqual([true, 1]);
    });
    await limit('0');
    await eventually(async () => {
      expect(await presence.values('stale_seconds', 'held_users')).toEqual([0, 0]);
    });
  });

  it('shows the number of users with unsaved activity', async () => {
    const now = nowSeconds() - 100;
    await report(ann, now);
    await eventually(async () => {
      expect(await presence.value('due_users')).toBe(0);
    });
    expect(await presence.value('write_seconds_count')).toBe(1);
    // The second report is too early to count.
    await report(ann, now + 58);
    expect(await presence.values('due_users', 'write_failures_total')).toEqual([1, 0]);
  });

  it('counts connections with another protocol', async () => {
    const httpClient = connect({ host: HOST, port: ports[0] ?? 0 });
    httpClient.write('GET / HTTP/1.1\r\n\r\n');
    await connectionEnd(httpClient);
    const request = connect({ host: HOST, port: ports[0] ?? 0 });
    request.write(presenceFrame(1));
    await connectionEnd(request);
    const counted = ['malformed_frames_total', 'refused_connections_total'];
    expect(await presence.values(...counted)).toEqual([1, 1]);
  });

  it('shows at the gateway that presence is unavailable, and the buffered users', async () => {
    await presence.stop();
    await report(ann);
    expect(
      await gateway.values(
        'client_connections',
        'client_calls_total{result="unanswered"}',
        'client_held_users',
      ),
    ).toEqual([0, 1, 1]);
    presence = await startPresence();
    await eventually(async () => {
      expect(await gateway.values('client_connections', 'client_held_users')).toEqual([1, 0]);
    });
  });

  it('counts calls that were retried at another presence process', async () => {
    const breaking = createFakeServer((socket) => {
      // This process completes the handshake, and closes the connection at the first call.
      void greetGateway(socket, secret).then(() => socket.once('data', () => socket.destroy()));
    });
    await once(breaking.listen(ports[1], HOST), 'listening');
    await gateway.stop();
    gateway = await startGateway([ports[1] ?? 0, ports[0] ?? 0]);
    await eventually(async () => {
      expect(await gateway.value('client_connections')).toBe(2);
    });
    // The probability that no organisation uses the failing process is one in a million.
    const realms = Array.from({ length: 20 }, (_, index) => realm.id + index);
    await Promise.all(realms.map((realmId) => client.report({ ...realm.poll(ann), realmId })));
    breaking.close();
    const [retries = 0, answered] = await gateway.values(
      'client_retries_total',
      'client_calls_total{result="answered"}',
    );
    expect(retries).toBeGreaterThan(0);
    expect(answered).toBe(realms.length);
  });
});
