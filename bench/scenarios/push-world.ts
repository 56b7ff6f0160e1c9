import { randomBytes } from 'node:crypto';
import { type ApnsAccess, apnsAccessOf } from '../limits/apns-access.js';
import type { PushUser } from '../load/push-crowd.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { cpuClock } from '../measure/process-cpu.js';
import { createRealm } from '../world/bench-world.js';
import type { Bench } from './scenario.js';

/** The addresses of the programs of push. */
interface PushPlaces {
  readonly gatewayPort: number;
  readonly sandboxUrl: string;
  readonly apns: ApnsAccess;
}

/** Starts the programs of push; without the worker, accepted notifications stay in the queues. */
export async function startPush(
  { programs, progress }: Bench,
  name: string,
  { hasWorker } = { hasWorker: true },
): Promise<PushPlaces> {
  await progress.step(`${name}: programs`, async () => {
    // The sandbox writes the credentials of the worker.
    await programs.start('push-sandbox');
    if (hasWorker) await programs.start('push-worker');
    else await programs.stopOne('push-worker');
    await programs.start('api-gateway');
  });
  return {
    gatewayPort: programs.gatewayPort,
    sandboxUrl: `http://127.0.0.1:${programs.parts.config.ports.sandbox}`,
    apns: apnsAccessOf(programs.parts),
  };
}

/** Creates accounts in several organisations, as on a server with many organisations. */
export async function createPushUsers(
  { world }: Bench,
  subdomain: string,
  { realms, usersEach }: { readonly realms: number; readonly usersEach: number },
): Promise<PushUser[]> {
  const users: PushUser[] = [];
  for (let realm = 0; realm < realms; realm += 1) {
    const created = await createRealm(world, `${subdomain}${realm}`, usersEach);
    users.push(...created.users.map((user) => ({ ...user, host: created.host })));
  }
  return users;
}

/** The CPU of all programs that process a notification, including the push sandbox. */
export const pushCpu = ({ programs, redis, database }: Bench): CpuUsage =>
  new CpuUsage({
    'api-gateway': cpuClock(programs.pidOf('api-gateway')),
    'push-worker': cpuClock(programs.pidOf('push-worker')),
    redis: () => redis.cpuSeconds(),
    postgresql: () => database.cpuSeconds(),
    'push-sandbox': cpuClock(programs.pidOf('push-sandbox')),
  });

/** The round trips per request. The requests must be sequential, and there must be no other load. */
export async function countRoundTrips(
  { redis, database }: Bench,
  makeRequests: () => Promise<{ requests: number }>,
) {
  await database.settle(performance.now());
  const commitsBefore = await database.commits();
  let requests = 0;
  const redisRoundTrips = await redis.roundTripsPerRequest(async () => {
    ({ requests } = await makeRequests());
    return { requests };
  });
  await database.settle(performance.now());
  const commits = (await database.commits()) - commitsBefore;
  return { redis_round_trips: redisRoundTrips, sql_round_trips: commits / requests };
}

/** Tokens of iPhones that do not exist. */
export const newTokens = (count: number): string[] =>
  Array.from({ length: count }, () => randomBytes(32).toString('hex'));
