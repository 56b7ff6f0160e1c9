import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { groupBy } from '#platform/core';
import { DEVICES_PER_JOB } from '#push/notifications';
import { idOf } from '#test/answers';
import { type ChaosProgram, lastLogLinesOf } from '#test/chaos-program';
import { chaosSeed, isLongRun } from '#test/chaos-run';
import { SeededRandom } from '#test/seeded-random';
import { eventually } from '#test/eventually';
import { Correspondence } from '#test/messages-organisation';
import { addOrganisation, type Person } from '#test/organisation';
import { parseDelivery } from '#test/phone-notifications';
import { startChaosWorkers } from '#test/push-chaos-workers';
import { androidToken, DEMO_APP_ID, iphoneToken } from '#test/push-tokens';
import { ThrowawayPostgres } from '#test/throwaway-postgres';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { useFixture } from '#test/use-fixture';
import { useSystem } from '#test/use-system';
import { untilDrained } from '#test/push-ledger';

jest.setTimeout(900_000);

const SEED = chaosSeed;
/** Each message has a page and a half of recipients, in a long run three and a half. */
const PEOPLE = isLongRun ? 3500 : 1500;
const MESSAGES = isLongRun ? 12 : 4;
/** So that there are messages at all faults. */
const MESSAGE_PAUSE_MS = 1000;
const CONCURRENCY = 8;
/** Both platforms with both lanes: the pushes of a worker between their answer and its record. */
const IN_FLIGHT = 4 * CONCURRENCY;
const SEND_MS = 120_000;
const platforms = ['apns', 'fcm'] as const;

const redis = useFixture(() => ThrowawayRedis.start());
const postgres = useFixture(() => ThrowawayPostgres.start());
const system = useSystem(() => ({
  programs: ['push-sandbox', 'api-gateway'],
  database: postgres.open(),
  environment: {
    REDIS_URL: redis.url,
    // This test is about faults, not about rate limits.
    RATE_LIMIT_USER: '60:100000',
    PUSH_CONCURRENCY: String(CONCURRENCY),
    PUSH_DEADLINE_MS: '2000',
  },
}));
let workers: readonly ChaosProgram[];

beforeAll(async () => {
  workers = await startChaosWorkers(system, 2);
});

const prisma = () => system.database.database.prisma;

/** A channel of people with a phone each, who want to be notified of all its messages. */
async function addLargeChannel() {
  const organisation = await addOrganisation(system);
  const sender = await organisation.addPerson();
  const mail = new Correspondence(system, organisation);
  const channel = await mail.addChannel([sender]);
  const phones = (await mail.addCrowd(PEOPLE)).map(({ id: userId }, number) => {
    const platform = platforms[number % 2] ?? 'fcm';
    const token = platform === 'apns' ? iphoneToken() : androidToken();
    const tokenDigest = new Uint8Array(createHash('sha256').update(token).digest());
    const appId = platform === 'apns' ? DEMO_APP_ID : null;
    return { userId, platform, token, tokenDigest, appId, keyGeneration: 1 };
  });
  await prisma().pushDevice.createMany({ data: phones });
  await prisma().subscription.createMany({
    data: phones.map(({ userId }) => ({ userId, channelId: channel.id, pushNotifications: true })),
  });
  return { sender, channel, tokens: phones.map(({ token }) => token) };
}

/** Sends a message, and repeats it while a store is down; resolves with its id. */
async function send({ api }: Person, channelId: number, content: string): Promise<number> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'idempotency-key': randomUUID(),
  };
  const body = new URLSearchParams({
    type: 'channel',
    to: String(channelId),
    topic: 'faults',
    content,
  }).toString();
  return eventually(
    async () => idOf(await api.send('POST', '/messages', { headers, body })),
    SEND_MS,
  );
}

/** Sends the messages one after the other; resolves with their ids. */
async function sendAll(sender: Person, channelId: number): Promise<number[]> {
  const ids: number[] = [];
  for (let turn = 0; turn < MESSAGES; turn += 1) {
    ids.push(await send(sender, channelId, `Message ${turn}`));
    await delay(MESSAGE_PAUSE_MS);
  }
  return ids;
}

/** Kills each worker, empties Redis and crashes PostgreSQL, in random order; resolves with the number of faults. */
async function injectFaults(random: SeededRandom): Promise<number> {
  const killing = workers.map((worker) => async () => {
    await worker.kill();
    await delay(random.between(0, 500));
    await worker.start();
  });
  const flushing = () => redis.run((client) => client.flushall());
  const faults = random.shuffled([...killing, flushing, () => postgres.crash()]);
  for (const fault of faults) {
    await delay(random.between(100, 800));
    await fault();
  }
  return faults.length;
}

describe(`Messages of a large channel while programs and stores fail (--seed=${SEED})`, () => {
  it('are shown on each phone in their order, and accepted once', async () => {
    const { sender, channel, tokens } = await addLargeChannel();
    const random = new SeededRandom(SEED);
    const [ids, faults] = await Promise.all([sendAll(sender, channel.id), injectFaults(random)]);
    await untilDrained(prisma()).catch(async (cause: unknown) => {
      throw new Error(await lastLogLinesOf(workers), { cause });
    });
    const pages = await prisma().pushPage.findMany();
    const accepted = groupBy(
      pages.flatMap(({ userIds, content }) => userIds.map((userId) => ({ userId, content }))),
      ({ userId }) => userId,
    );
    expect([...accepted.values()].map(({ length }) => length)).toEqual(tokens.map(() => MESSAGES));
    const shown = (await system.sandbox.deliveries()).filter(({ status }) => status === 200);
    const byToken = groupBy(shown, ({ token }) => token);
    const firstOf = (token: string) => [
      ...new Set((byToken.get(token) ?? []).flatMap((one) => parseDelivery(one).messageIds)),
    ];
    const wrong = tokens.filter((token) => firstOf(token).join() !== ids.join());
    expect(wrong).toEqual([]);
    const repeated = shown.length - tokens.length * MESSAGES;
    process.stdout.write(
      `large messages --seed=${SEED}: ${shown.length} shown, ${repeated} twice, ${faults} faults\n`,
    );
    // Only pushes that were in flight at a fault, and those of a page that were not recorded yet: a crash of PostgreSQL concerns
    // all workers.
    expect(repeated).toBeLessThanOrEqual(faults * workers.length * (IN_FLIGHT + DEVICES_PER_JOB));
  });
});
