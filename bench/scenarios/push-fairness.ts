import { setTimeout as delay } from 'node:timers/promises';
import { AskingUser } from '../load/asking-user.js';
import { FormRequest } from '../load/form-request.js';
import { PacedRequests, type PacedAnswer } from '../load/paced-requests.js';
import { type PushUser, TEST_PATH } from '../load/push-crowd.js';
import { gatherPushLoad } from '../load/push-load.js';
import { countFaulty, SandboxInbox } from '../load/sandbox-inbox.js';
import { median } from '../measure/median.js';
import { latencyText, percentile } from '../measure/percentile.js';
import { passTurn } from '../measure/turns.js';
import { type Finding, resultOfTime } from '../results.js';
import { APP_ID } from '../world/bench-world.js';
import { Faults } from './faults.js';
import { arrivalTimes } from './latency.rules.js';
import { createPushUsers, newTokens, startPush } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';

const NAME = 'push.fairness';
const FAN_OUT_DEVICES = 10_000;
const STORM = { users: 1000, notifications: 5000, connections: 64 };
/** Users who receive single notifications during the disturbance. */
const OTHERS = { realms: 10, usersEach: 20 };
const OTHERS_PER_SECOND = 40;
const OTHERS_CONNECTIONS = 32;
const ROUNDS = 3;
const QUIET_MS = 2000;
const WORST = 0.99;
const LONGEST_MS = 1000;
const TARGET = 1;

/**
 * The latency of other users' notifications, from the request to the phone, during a fan-out of one user to ten
 * thousand devices, and during a storm in one organisation.
 */
export const pushFairness: Scenario = { name: NAME, measure };

/** A heavy load that must not affect other users: its size, and how to start it. */
interface Disturbance {
  readonly notifications: number;
  readonly setOff: () => Promise<unknown>;
}

/** `warmUp`: the first fan-out and storm, before the code is optimised. They do not count. */
type Period = 'warmUp' | 'undisturbed' | 'fanOut' | 'storm';

interface Quiet {
  readonly load: PacedRequests;
  readonly tokens: readonly string[];
  readonly inbox: SandboxInbox;
}

async function measure(bench: Bench): Promise<Finding> {
  const { gatewayPort, sandboxUrl } = await startPush(bench, NAME);
  const others = await createPushUsers(bench, 'others', OTHERS);
  const tokens = await giveDevices(bench, others, others.length);
  const [crowded] = await createPushUsers(bench, 'crowded', { realms: 1, usersEach: 1 });
  if (crowded === undefined) throw new Error('There is no crowded organisation.');
  await giveDevices(bench, [crowded], FAN_OUT_DEVICES);
  const stormy = await createPushUsers(bench, 'storm', { realms: 1, usersEach: STORM.users });
  await giveDevices(bench, stormy, STORM.users);

  const quiet: Quiet = {
    load: new PacedRequests({
      port: gatewayPort,
      perSecond: OTHERS_PER_SECOND,
      connections: OTHERS_CONNECTIONS,
      requests: others.map((user) => new FormRequest(user.host, TEST_PATH, user).with('')),
    }),
    tokens,
    inbox: new SandboxInbox(sandboxUrl),
  };
  const user = await AskingUser.connect(gatewayPort, crowded);
  const storm = await gatherPushLoad(bench.place, {
    port: gatewayPort,
    users: stormy,
    sandboxUrl,
  });
  try {
    return await disturb(bench, quiet, {
      fanOut: { notifications: FAN_OUT_DEVICES, setOff: () => user.ask() },
      storm: {
        notifications: STORM.notifications,
        setOff: () => storm.call('ask', STORM.connections, STORM.notifications),
      },
    });
  } finally {
    user.close();
    await storm.stop();
  }
}

/** Distributes this number of new devices over the accounts; resolves with their tokens. */
async function giveDevices(
  { world }: Bench,
  users: readonly PushUser[],
  count: number,
): Promise<string[]> {
  const tokens = newTokens(count);
  const devices = tokens.map((token, index) => ({
    token,
    userId: users[index % users.length]?.userId ?? 0,
  }));
  await world.createDevices(devices, APP_ID);
  return tokens;
}

async function disturb(
  { progress }: Bench,
  quiet: Quiet,
  disturbances: { readonly fanOut: Disturbance; readonly storm: Disturbance },
): Promise<Finding> {
  const faults = new Faults();
  const nothing: Disturbance = { notifications: 0, setOff: () => delay(QUIET_MS) };
  const latencies: Record<Period, number[]> = {
    warmUp: [],
    undisturbed: [],
    fanOut: [],
    storm: [],
  };
  const seconds: Record<Period, number[]> = { warmUp: [], undisturbed: [], fanOut: [], storm: [] };
  const watch = async (during: Period, disturbance: Disturbance) => {
    const found = await othersDuring(quiet, disturbance, during, faults);
    latencies[during].push(...found.times);
    seconds[during].push(found.seconds);
  };
  await progress.step(`${NAME}: warm-up`, async () => {
    await watch('warmUp', disturbances.fanOut);
    await watch('warmUp', disturbances.storm);
  });
  await progress.step(`${NAME}: undisturbed`, () => watch('undisturbed', nothing));
  await progress.step(`${NAME}: ${ROUNDS} fan-outs and storms`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await watch('fanOut', disturbances.fanOut);
      await watch('storm', disturbances.storm);
      await passTurn();
    }
  });
  const worst = Math.max(percentile(latencies.fanOut, WORST), percentile(latencies.storm, WORST));
  return {
    result: resultOfTime({
      name: NAME,
      value: worst,
      unit: 'ms (p99)',
      limit: LONGEST_MS,
      target: TARGET,
      cpu_s_per_1000: {},
    }),
    notes: [
      `during a fan-out to ${FAN_OUT_DEVICES} devices, of ${median(seconds.fanOut).toFixed(1)} s: ` +
        describe(latencies.fanOut),
      `during a storm of ${STORM.notifications} in one organisation, of ` +
        `${median(seconds.storm).toFixed(1)} s: ${describe(latencies.storm)}`,
      `undisturbed: ${describe(latencies.undisturbed)}`,
      `warm-up, the first fan-out and storm after the start: ${describe(latencies.warmUp)}`,
    ],
    faults: faults.list,
  };
}

const describe = (latencies: readonly number[]): string =>
  `${latencyText(latencies)} (${latencies.length} notifications)`;

/** The latencies of the other users in milliseconds during the disturbance, and the duration of the disturbance. */
async function othersDuring(
  { load, tokens, inbox }: Quiet,
  { notifications, setOff }: Disturbance,
  when: string,
  faults: Faults,
): Promise<{ readonly times: readonly number[]; readonly seconds: number }> {
  await inbox.forget();
  const startedAt = performance.now();
  let seconds = 0;
  const { answers, tally } = await load.during(async () => {
    await setOff();
    // The notifications of the other users arrive in addition and are counted below.
    await inbox.untilShown(notifications);
    seconds = (performance.now() - startedAt) / 1000;
  });
  faults.add(`others ${when}`, tally);
  const expected = notifications + tally.requests;
  const shown = await inbox.untilShown(expected);
  faults.addCount(
    `${when}: not shown exactly once, of ${JSON.stringify(shown)}`,
    countFaulty(expected, shown),
  );
  const arrivals = await inbox.shownOn(tokens);
  const { times, missing } = arrivalTimes(answers.map(asSent(tokens)), arrivals);
  faults.addCount(`${when}: no arrival found for`, missing);
  return { times, seconds };
}

const asSent =
  (tokens: readonly string[]) =>
  ({ turn, dueAt }: PacedAnswer) => ({ token: tokens[turn % tokens.length] ?? '', at: dueAt });
