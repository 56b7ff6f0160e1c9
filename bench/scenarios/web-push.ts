import { openBareFanOut } from '../fan-out/fan-out-sender.js';
import { PushLimit } from '../limits/push-limit.js';
import { AskingUser } from '../load/asking-user.js';
import { gatherPushLoad, type PushLoad } from '../load/push-load.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import type { CpuUsage } from '../measure/cpu-usage.js';
import { inTurn } from '../measure/interleave.js';
import { type Finding, type Measured, resultOf } from '../results.js';
import { APP_ID, createRealm } from '../world/bench-world.js';
import { FanOutRounds } from './fan-out-rounds.js';
import { Faults } from './faults.js';
import { scenarioWith } from './missing-feature.js';
import { createPushUsers, newTokens, pushCpu } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';
import { addBrowsers, withBrowsers, type WebPushPlaces } from './web-push-world.js';

const SINGLE = {
  name: 'webpush.single',
  crowd: { realms: 10, usersEach: 100 },
  connections: 64,
  warmUp: 4000,
  notifications: 4000,
  rounds: 7,
};
const FAN_OUT = { name: 'webpush.fanout_10000', devices: 10_000, warmUpRounds: 3, rounds: 7 };
/** As many streams as the service allows. */
const WINDOW = 100;
/** To the bare sender, and to the same on iPhones. */
const TARGET = 0.8;
const TEST_PATH = '/users/me/web_push_subscription/test_notification';
const FEATURE = { title: 'Web Push', table: 'web_push_subscriptions', column: 'p256dh' };

/** Test notifications for many users with a browser each; the limit encrypts too. */
export const webPushSingle: Scenario = scenarioWith(FEATURE, SINGLE.name, (bench) =>
  withBrowsers(bench, SINGLE.name, (places) => measureSingle(bench, places)),
);

/** A direct message to an account with ten thousand browsers; the limit encrypts too. */
export const webPushFanOut: Scenario = scenarioWith(FEATURE, FAN_OUT.name, (bench) =>
  withBrowsers(bench, FAN_OUT.name, (places) => measureFanOut(bench, places)),
);

interface Rates {
  readonly limit: number;
  readonly ours: number;
  /** Of the same on iPhones. */
  readonly plain: number;
}

/** One result beside the bare sender, and one beside iPhones. */
function findingsOf(
  measured: Pick<Measured, 'name' | 'unit' | 'cpu_s_per_1000'>,
  { limit, ours, plain }: Rates,
  faults: Faults,
): Finding[] {
  const finding = (name: string, reference: number, of: Faults['list']): Finding => ({
    result: resultOf({ ...measured, name, value: ours, limit: reference, target: TARGET }),
    notes: [],
    faults: of,
  });
  return [
    finding(measured.name, limit, faults.list),
    finding(`${measured.name}.to_plain`, plain, []),
  ];
}

async function measureSingle(
  bench: Bench,
  { gatewayPort: port, sandboxUrl, web }: WebPushPlaces,
): Promise<Finding[]> {
  const { crowd, connections } = SINGLE;
  const plainUsers = await createPushUsers(bench, 'phones', crowd);
  const users = await createPushUsers(bench, 'browsers', crowd);
  const phones = newTokens(users.length);
  await bench.world.createDevices(
    plainUsers.map(({ userId }, index) => ({ userId, token: phones[index] ?? '' })),
    APP_ID,
  );
  const userIds = users.map(({ userId }) => userId);
  const { ids, tokens } = await addBrowsers(bench, sandboxUrl, userIds);
  const gather = (more: Omit<Parameters<typeof gatherPushLoad>[1], 'sandboxUrl'>) =>
    gatherPushLoad(bench.place, { sandboxUrl, ...more });
  const fields = userIds.map((userId) => `subscription_id=${ids.get(userId)}`);
  const browsers = { users, service: 'web' } as const;
  const plain = await gather({ port, users: plainUsers });
  const ours = await gather({ port, ...browsers, path: TEST_PATH, fields });
  await ours.call('send', 1, 1);
  const sample = await new SandboxInbox(sandboxUrl, 'web').lastRequest();
  const worker = { access: { web }, sample, concurrency: connections };
  const limit = await PushLimit.start(bench.place, {
    redisUrl: bench.redisUrl,
    users,
    tokens,
    worker,
  });
  const limitLoad = await gather({ port: limit.port, ...browsers });
  try {
    return await compareSingle(bench, { limit: limitLoad, ours, plain });
  } finally {
    await Promise.all([plain.stop(), ours.stop(), limitLoad.stop(), limit.stop()]);
  }
}

async function compareSingle(
  bench: Bench,
  loads: Readonly<Record<keyof Rates, PushLoad>>,
): Promise<Finding[]> {
  const { name, connections, warmUp, notifications, rounds } = SINGLE;
  const faults = new Faults();
  const { progress } = bench;
  const cpu = pushCpu(bench);
  const rateOf = async (design: keyof Rates, count = notifications) => {
    const tally = await loads[design].call('send', connections, count);
    faults.add(design, tally);
    return tally.requests / tally.seconds;
  };
  await progress.step(`${name}: warm-up`, async () => {
    for (const design of ['limit', 'ours', 'plain'] as const) await rateOf(design, warmUp);
  });
  const rates = await progress.step(`${name}: ${rounds} rounds of each`, () =>
    inTurn(rounds, turnsOf(cpu, rateOf)),
  );
  const cpu_s_per_1000 = cpu.perThousand(rounds * notifications);
  return findingsOf({ name, unit: 'notifications/s', cpu_s_per_1000 }, rates, faults);
}

/** The CPU of ours is measured. */
const turnsOf = (cpu: CpuUsage, rateOf: (design: keyof Rates) => Promise<number>) => ({
  limit: () => rateOf('limit'),
  ours: () => cpu.during(() => rateOf('ours')),
  plain: () => rateOf('plain'),
});

async function measureFanOut(
  bench: Bench,
  { gatewayPort, sandboxUrl, web }: WebPushPlaces,
): Promise<Finding[]> {
  const { devices } = FAN_OUT;
  const { host, users } = await createRealm(bench.world, 'webfan', 3);
  const [sender, browserUser, phoneUser] = users;
  if (sender === undefined || browserUser === undefined || phoneUser === undefined) {
    throw new Error('There are no users.');
  }
  const owners = Array.from({ length: devices }, () => browserUser.userId);
  const { tokens } = await addBrowsers(bench, sandboxUrl, owners);
  const { userId } = phoneUser;
  const phones = newTokens(devices).map((token) => ({ userId, token }));
  await bench.world.createDevices(phones, APP_ID);
  const user = await AskingUser.connect(gatewayPort, { ...sender, host }, '/messages');
  const ask = (to: number) => user.ask(`type=direct&to=%5B${to}%5D&content=Hello`);
  const inbox = new SandboxInbox(sandboxUrl, 'web');
  await inbox.forget();
  await ask(browserUser.userId);
  await inbox.untilShown(devices);
  const sample = await inbox.lastRequest();
  const plan = { access: { web }, tokens };
  const limit = await openBareFanOut(bench.place, plan, sample);
  try {
    return await compareFanOut(bench, sandboxUrl, {
      limit: () => limit.call('send', WINDOW),
      ours: () => ask(browserUser.userId),
      plain: () => ask(phoneUser.userId),
    });
  } finally {
    user.close();
    await limit.stop();
  }
}

async function compareFanOut(
  bench: Bench,
  sandboxUrl: string,
  start: Readonly<Record<keyof Rates, () => Promise<unknown>>>,
): Promise<Finding[]> {
  const { name, devices, warmUpRounds, rounds } = FAN_OUT;
  const faults = new Faults();
  const cpu = pushCpu(bench);
  const browsers = new FanOutRounds(new SandboxInbox(sandboxUrl, 'web'), devices, faults);
  const phones = new FanOutRounds(new SandboxInbox(sandboxUrl), devices, faults);
  const rateOf = (design: keyof Rates) =>
    (design === 'plain' ? phones : browsers).rateOf(design, start[design]);
  await bench.progress.step(`${name}: warm-up`, async () => {
    for (let round = 0; round < warmUpRounds; round += 1) {
      for (const design of ['limit', 'ours', 'plain'] as const) await rateOf(design);
    }
  });
  const rates = await bench.progress.step(`${name}: ${rounds} rounds of each`, () =>
    inTurn(rounds, turnsOf(cpu, rateOf)),
  );
  const cpu_s_per_1000 = cpu.perThousand(rounds * devices);
  return findingsOf({ name, unit: 'devices/s', cpu_s_per_1000 }, rates, faults);
}
