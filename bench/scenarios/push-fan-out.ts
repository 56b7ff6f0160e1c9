import { type FanOutSender, openBareFanOut } from '../fan-out/fan-out-sender.js';
import { AskingUser } from '../load/asking-user.js';
import { type PushUser, TEST_PATH } from '../load/push-crowd.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { interleave } from '../measure/interleave.js';
import { median } from '../measure/median.js';
import { cpuClock } from '../measure/process-cpu.js';
import { StorageUse } from '../measure/storage-use.js';
import { cpuText, type Finding, resultOf } from '../results.js';
import { APP_ID, createRealm } from '../world/bench-world.js';
import { FAN_OUT_WINDOW, FanOutRounds } from './fan-out-rounds.js';
import { Faults } from './faults.js';
import { countRoundTrips, createPushUsers, newTokens, pushCpu, startPush } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';

const DEVICES = 10_000;
/** Until the code of both designs is optimised. */
const WARM_UP_ROUNDS = 4;
const ROUNDS = 9;
/** Several, so that background work between rounds has little effect. */
const COUNTED_ROUNDS = 3;
const COUNTED_DEVICES = 100;

/** A request that reaches ten thousand phones. */
interface FanOut {
  readonly name: string;
  /** The target ratio to the reference; null: no target. */
  readonly target: number | null;
  /** Creates the accounts and devices; resolves with the request and the tokens. */
  prepare(bench: Bench): Promise<Prepared>;
}

/** The request, and the phones that it reaches. */
interface Prepared {
  readonly user: PushUser;
  readonly path: string;
  readonly fields: string;
  readonly tokens: readonly string[];
}

/** One message to a channel of ten thousand users with a phone each, until all phones have shown it. */
export const pushChannel: Scenario = scenarioOf({
  name: 'push.channel_10000',
  target: null,
  prepare: prepareChannel,
});

/** A channel in an organisation of its own, with ten thousand subscribers who have a phone each. */
async function prepareChannel({ world }: Bench): Promise<Prepared> {
  const { id, host, users } = await createRealm(world, 'channel', DEVICES + 1);
  const [sender, ...people] = users;
  if (sender === undefined) throw new Error('There is no sender.');
  const tokens = newTokens(DEVICES);
  const phones = people.map(({ userId }, index) => ({ userId, token: tokens[index] ?? '' }));
  await world.createDevices(phones, APP_ID);
  const userIds = users.map(({ userId }) => userId);
  const channelId = await world.createChannel(id, 'everybody', userIds);
  const fields = `type=channel&to=${channelId}&topic=bench&content=Hello`;
  return { user: { ...sender, host }, path: '/messages', fields, tokens };
}

/** One test notification to ten thousand phones of one account, without the usual limit of devices. */
export const pushFanOut: Scenario = scenarioOf({
  name: 'push.fanout_10000',
  target: 0.7,
  prepare: async (bench) => {
    const [user] = await createPushUsers(bench, 'fanout', { realms: 1, usersEach: 1 });
    if (user === undefined) throw new Error('There is no user.');
    const tokens = newTokens(DEVICES);
    const phones = tokens.map((token) => ({ userId: user.userId, token }));
    await bench.world.createDevices(phones, APP_ID);
    return { user, path: TEST_PATH, fields: '', tokens };
  },
});

function scenarioOf(fanOut: FanOut): Scenario {
  return { name: fanOut.name, measure: (bench) => measure(bench, fanOut) };
}

interface Rivals {
  readonly limit: FanOutSender;
  readonly ask: () => Promise<void>;
  readonly inbox: SandboxInbox;
  /** Before the first request, which was the sample. */
  readonly ledgerBytes: number;
}

async function measure(bench: Bench, fanOut: FanOut): Promise<Finding> {
  const { name } = fanOut;
  const { gatewayPort, sandboxUrl, apns } = await startPush(bench, name);
  const { user: account, path, fields, tokens } = await fanOut.prepare(bench);
  const inbox = new SandboxInbox(sandboxUrl);
  await inbox.forget();
  const ledgerBytes = await bench.database.ledgerBytes();
  const user = await AskingUser.connect(gatewayPort, account, path);
  const ask = () => user.ask(fields);
  const sample = await bench.progress.step(`${name}: a sample`, async () => {
    await ask();
    await inbox.untilShown(DEVICES);
    return inbox.lastRequest();
  });
  const limit = await openBareFanOut(bench.place, { access: { apns }, tokens }, sample);
  try {
    return await compare(bench, fanOut, { limit, ask, inbox, ledgerBytes });
  } finally {
    user.close();
    await limit.stop();
  }
}

async function compare(
  bench: Bench,
  { name, target }: FanOut,
  { limit, ask, inbox, ledgerBytes }: Rivals,
): Promise<Finding> {
  const { progress, programs, database } = bench;
  const faults = new Faults();
  const cpu = pushCpu(bench);
  const storage = new StorageUse(database);
  const limitCpu = new CpuUsage({
    'bare sender': cpuClock(limit.pid),
    'push-sandbox': cpuClock(programs.pidOf('push-sandbox')),
  });
  const rounds = new FanOutRounds(inbox, DEVICES, faults);
  const answerTimes: number[] = [];
  const sendBare = () =>
    rounds.rateOf('limit', async () => {
      const { firstFailure } = await limit.call('send', FAN_OUT_WINDOW);
      if (firstFailure !== null) throw new Error(`The bare client failed: ${firstFailure}`);
    });
  const sendOurs = () =>
    rounds.rateOf('ours', async () => {
      const askedAt = performance.now();
      await ask();
      answerTimes.push(performance.now() - askedAt);
    });

  await progress.step(`${name}: warm-up`, async () => {
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
      await sendBare();
      await sendOurs();
    }
  });
  const roundTrips = await progress.step(`${name}: round trips`, () =>
    countRoundTrips(bench, async () => {
      for (let round = 0; round < COUNTED_ROUNDS; round += 1) await sendOurs();
      return { requests: (COUNTED_ROUNDS * DEVICES) / COUNTED_DEVICES };
    }),
  );
  const rates = await progress.step(`${name}: ${ROUNDS} rounds of each`, () =>
    interleave(
      ROUNDS,
      () => limitCpu.during(sendBare),
      () => storage.during(() => cpu.during(sendOurs)),
    ),
  );
  const total = ROUNDS * DEVICES;
  const accepted = (1 + WARM_UP_ROUNDS + COUNTED_ROUNDS + ROUNDS) * DEVICES;
  const atRest = ((await database.ledgerBytes()) - ledgerBytes) / accepted;
  return {
    result: resultOf({
      name,
      value: rates.ours,
      unit: 'devices/s',
      limit: rates.limit,
      target,
      cpu_s_per_1000: cpu.perThousand(total),
      bytes_each: { ...storage.per(total), 'ledger at rest': atRest },
      ...roundTrips,
      round_trips_per: `${COUNTED_DEVICES} devices`,
    }),
    notes: [
      `the limit's CPU each: ${cpuText(limitCpu.perThousand(total))}`,
      `all ${DEVICES} shown after ${(DEVICES / rates.ours).toFixed(2)} s; ` +
        `the limit's after ${(DEVICES / rates.limit).toFixed(2)} s`,
      `the request was answered after ${median(answerTimes).toFixed(0)} ms`,
    ],
    faults: faults.list,
  };
}
