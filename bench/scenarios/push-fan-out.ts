import { FanOutSender } from '../fan-out/fan-out-sender.js';
import { AskingUser } from '../load/asking-user.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { interleave } from '../measure/interleave.js';
import { median } from '../measure/median.js';
import { cpuClock } from '../measure/process-cpu.js';
import { cpuText, type Finding, resultOf } from '../results.js';
import { APP_ID } from '../world/bench-world.js';
import { FAN_OUT_WINDOW, FanOutRounds } from './fan-out-rounds.js';
import { Faults } from './faults.js';
import { countRoundTrips, createPushUsers, newTokens, pushCpu, startPush } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';

const NAME = 'push.fanout_10000';
const DEVICES = 10_000;
/** Until the programs of both sides run as fast as they will. */
const WARM_UP_ROUNDS = 4;
const ROUNDS = 9;
const TARGET = 0.7;
/** More than one, so that what happens in the background between them is little of it. */
const COUNTED_ROUNDS = 3;
const COUNTED_DEVICES = 100;

/** One user with ten thousand devices and one request: the time until all phones have shown it. */
export const pushFanOut: Scenario = { name: NAME, measure };

interface Rivals {
  readonly limit: FanOutSender;
  readonly user: AskingUser;
  readonly inbox: SandboxInbox;
}

async function measure(bench: Bench): Promise<Finding> {
  const { gatewayPort, sandboxUrl, apns } = await startPush(bench, NAME);
  const [account] = await createPushUsers(bench, 'fanout', { realms: 1, usersEach: 1 });
  if (account === undefined) throw new Error('Nobody is there to be notified.');
  const tokens = newTokens(DEVICES);
  const { userId } = account;
  await bench.world.createDevices(
    tokens.map((token) => ({ userId, token })),
    APP_ID,
  );
  const inbox = new SandboxInbox(sandboxUrl);
  await inbox.forget();
  const user = await AskingUser.connect(gatewayPort, account);
  const sample = await bench.progress.step(`${NAME}: a sample`, async () => {
    await user.askForTest();
    await inbox.untilShown(DEVICES);
    return inbox.lastRequest();
  });
  const limit = await FanOutSender.openBare(bench.place, { apns, tokens }, sample);
  try {
    return await compare(bench, { limit, user, inbox });
  } finally {
    user.close();
    await limit.stop();
  }
}

async function compare(bench: Bench, { limit, user, inbox }: Rivals): Promise<Finding> {
  const { progress, programs } = bench;
  const faults = new Faults();
  const cpu = pushCpu(bench);
  const limitCpu = new CpuUsage({
    'bare sender': cpuClock(limit.pid),
    'push-sandbox': cpuClock(programs.pidOf('push-sandbox')),
  });
  const rounds = new FanOutRounds(inbox, DEVICES, faults);
  const answerTimes: number[] = [];
  const sendBare = () =>
    rounds.rateOf('limit', async () => {
      const { firstFailure } = await limit.send(FAN_OUT_WINDOW);
      if (firstFailure !== null) throw new Error(`The bare client failed: ${firstFailure}`);
    });
  const sendOurs = () =>
    rounds.rateOf('ours', async () => {
      const askedAt = performance.now();
      await user.askForTest();
      answerTimes.push(performance.now() - askedAt);
    });

  await progress.step(`${NAME}: warm-up`, async () => {
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
      await sendBare();
      await sendOurs();
    }
  });
  const roundTrips = await progress.step(`${NAME}: round trips`, () =>
    countRoundTrips(bench, async () => {
      for (let round = 0; round < COUNTED_ROUNDS; round += 1) await sendOurs();
      return { requests: (COUNTED_ROUNDS * DEVICES) / COUNTED_DEVICES };
    }),
  );
  const rates = await progress.step(`${NAME}: ${ROUNDS} rounds of each`, () =>
    interleave(
      ROUNDS,
      () => limitCpu.during(sendBare),
      () => cpu.during(sendOurs),
    ),
  );
  const total = ROUNDS * DEVICES;
  return {
    result: resultOf({
      name: NAME,
      value: rates.ours,
      unit: 'devices/s',
      limit: rates.limit,
      target: TARGET,
      cpu_s_per_1000: cpu.perThousand(total),
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
