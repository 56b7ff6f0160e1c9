import { setTimeout as delay } from 'node:timers/promises';
import { CpuUsage } from '../measure/cpu-usage.js';
import { cpuClock } from '../measure/process-cpu.js';
import { reportsMemory } from '../processes/our-programs.js';
import { type Finding, resultOfTime } from '../results.js';
import { type EventsPlan, inOurEventsWorld } from './events-world.js';
import type { Bench, Scenario } from './scenario.js';

const CLIENTS = 10_000;
const TARGET = 1;

const LAG_SECONDS = 30;
/** The peak of 10,000 connected accounts. */
const MESSAGES_PER_SECOND = 33;
const SUBSCRIBERS = 200;
const LAG_LIMITS = { p50: 50, p99: 250 };

const IDLE_SECONDS = 60;
const MAX_IDLE_CPU = 0.05;

/** Compiled code and caches of the first clients do not count as memory of a poll. */
const FORERUNNERS = 500;
const MAX_PER_POLL = 20_000;
const MAX_PER_QUEUE = 1000;
const QUEUE_KEYS = 'carillon:events:queue:';

const planOf = (name: string): EventsPlan => ({
  name: `events.${name}`,
  subdomain: `events-${name}`,
  users: CLIENTS,
  polling: CLIENTS,
});
const plans = { lag: planOf('lag'), memory: planOf('memory'), idle: planOf('idle') };

/** Messages to channels of 200 subscribers among 10,000 clients: the time until each has the message. */
export const eventsLag: Scenario = { name: plans.lag.name, measure: measureLag };

/** The memory of a held poll in a gateway, and of an idle queue in the stores. */
export const eventsMemory: Scenario = { name: plans.memory.name, measure: measureMemory };

/** The CPU of a gateway whose polls get nothing but heartbeats. */
export const eventsIdle: Scenario = { name: plans.idle.name, measure: measureIdle };

async function measureLag(bench: Bench): Promise<Finding[]> {
  const { name, users, polling } = plans.lag;
  return inOurEventsWorld(bench, plans.lag, {}, async ({ realm, gather }) => {
    const [sender, ...others] = realm.users.map(({ userId }) => userId);
    if (sender === undefined) throw new Error('There are no users.');
    const channels = Array.from({ length: users / SUBSCRIBERS }, (_, index) => ({
      name: `channel ${index}`,
      userIds: [
        sender,
        ...others.slice(index * (SUBSCRIBERS - 1), (index + 1) * (SUBSCRIBERS - 1)),
      ],
    }));
    const channelIds = await bench.world.createChannels(realm.id, channels);
    const load = await gather({ polling, eventType: 'message' });
    const cpu = new CpuUsage({ 'api-gateway': cpuClock(bench.programs.pidOf('api-gateway')) });
    try {
      const count = LAG_SECONDS * MESSAGES_PER_SECOND;
      const { p50Ms, p99Ms, wrong } = await bench.progress.step(`${name}: messages`, () =>
        cpu.during(() =>
          load.call('messages', {
            count,
            perSecond: MESSAGES_PER_SECOND,
            channelIds,
            subscribers: SUBSCRIBERS,
          }),
        ),
      );
      const resultFor = (part: 'p50' | 'p99', value: number) =>
        resultOfTime({
          name: `${name}_${part}`,
          value,
          unit: 'ms',
          limit: LAG_LIMITS[part],
          target: TARGET,
          cpu_s_per_1000: cpu.perThousand(count * SUBSCRIBERS),
        });
      return [
        { result: resultFor('p50', p50Ms), notes: [], faults: wrong },
        { result: resultFor('p99', p99Ms), notes: [], faults: [] },
      ];
    } finally {
      await load.stop();
    }
  });
}

async function measureMemory(bench: Bench): Promise<Finding[]> {
  const { name, polling } = plans.memory;
  const { programs, redis, world, progress } = bench;
  const special = reportsMemory(bench.place);
  return inOurEventsWorld(bench, plans.memory, special, async ({ gather }) => {
    const forerunners = await gather({ polling: FORERUNNERS, eventType: 'user_status' });
    await forerunners.call('stream', FORERUNNERS / 100);
    await forerunners.stop();
    const measured = async () => ({
      process: await programs.memoryOf('api-gateway'),
      redis: await redis.memoryOf(QUEUE_KEYS),
      postgres: await world.bytesOf('event_queues'),
    });
    const before = await measured();
    const load = await progress.step(`${name}: ${polling} clients`, () =>
      gather({ polling, eventType: 'user_status' }),
    );
    try {
      await load.call('hold');
      const after = await measured();
      const each = (store: keyof typeof after) => (after[store] - before[store]) / polling;
      const bytes = (part: string, value: number, limit: number) =>
        resultOfTime({
          name: `${name}.${part}`,
          value,
          unit: 'bytes',
          limit,
          target: TARGET,
          cpu_s_per_1000: {},
        });
      return [
        {
          result: bytes('poll', each('process'), MAX_PER_POLL),
          notes: ['heap and buffers, with the connection, the sign-in and the queue'],
          faults: [],
        },
        {
          result: bytes('queue', each('redis') + each('postgres'), MAX_PER_QUEUE),
          notes: [`Redis ${each('redis').toFixed(0)}, PostgreSQL ${each('postgres').toFixed(0)}`],
          faults: [],
        },
      ];
    } finally {
      await load.stop();
    }
  });
}

async function measureIdle(bench: Bench): Promise<Finding> {
  const { name, polling } = plans.idle;
  return inOurEventsWorld(bench, plans.idle, {}, async ({ gather }) => {
    const load = await gather({ polling, eventType: 'user_status' });
    const cpu = new CpuUsage({ 'api-gateway': cpuClock(bench.programs.pidOf('api-gateway')) });
    try {
      await load.call('hold');
      // The first heartbeats run code that is not compiled yet.
      await bench.progress.step(`${name}: ${2 * IDLE_SECONDS} s`, async () => {
        await delay(IDLE_SECONDS * 1000);
        await cpu.during(() => delay(IDLE_SECONDS * 1000));
      });
      return {
        result: resultOfTime({
          name,
          value: 100 * (cpu.perSecond(IDLE_SECONDS)['api-gateway'] ?? Number.NaN),
          unit: '% of a core',
          limit: 100 * MAX_IDLE_CPU,
          target: TARGET,
          cpu_s_per_1000: {},
        }),
        notes: [`${polling} polls, about ${polling / 50} heartbeats a second`],
        faults: [],
      };
    } finally {
      await load.stop();
    }
  });
}
