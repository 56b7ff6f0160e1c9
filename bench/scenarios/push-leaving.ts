import { setTimeout as delay } from 'node:timers/promises';
import { AskingUser } from '../load/asking-user.js';
import type { PushUser } from '../load/push-crowd.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import { latencyText, percentile } from '../measure/percentile.js';
import { type Finding, resultOf, resultOfTime } from '../results.js';
import { APP_ID, createRealm } from '../world/bench-world.js';
import { Faults } from './faults.js';
import { createPushUsers, newTokens, pushCpu, startPush } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';

const LEAVING = 'push.leaving';
const MEMORY = 'push.deferred_memory';
const PEOPLE = 10_000;
const MESSAGES = 20;
/** The bytes of an account with messages to decide about, with its indexes. */
const MAX_BYTES = 100;
/** The pause between the messages of another organisation. */
const OTHER_EVERY_MS = 25;
const POLL_MS = 20;

/**
 * Ten thousand people leave in the same moment, each with twenty unread messages that came while they were active, until all
 * phones have shown them: beside one message to the same people while they are away.
 */
export const pushLeaving: Scenario = { name: LEAVING, measure };

async function measure(bench: Bench): Promise<Finding[]> {
  const { gatewayPort, sandboxUrl } = await startPush(bench, LEAVING);
  const { id, host, users } = await createRealm(bench.world, 'leaving', PEOPLE + 1);
  const [sender, ...people] = users;
  if (sender === undefined) throw new Error('There is no sender.');
  const tokens = newTokens(PEOPLE);
  const phones = people.map(({ userId }, index) => ({ userId, token: tokens[index] ?? '' }));
  await bench.world.createDevices(phones, APP_ID);
  const userIds = users.map(({ userId }) => userId);
  const channelId = await bench.world.createChannel(id, 'everybody', userIds);
  const inbox = new SandboxInbox(sandboxUrl);
  const user = await AskingUser.connect(gatewayPort, { ...sender, host }, '/messages');
  const fields = `type=channel&to=${channelId}&topic=bench&content=Hello`;
  const crowd = { bench, inbox, userIds: people.map(({ userId }) => userId), realmId: id };
  const faults = new Faults();
  try {
    const away = await bench.progress.step(`${LEAVING}: a message to people who are away`, () =>
      rateOfAway(crowd, () => user.ask(fields)),
    );
    await bench.progress.step(`${LEAVING}: ${MESSAGES} messages to active people`, async () => {
      await bench.world.beActive(id, crowd.userIds);
      for (let sent = 0; sent < MESSAGES; sent += 1) await user.ask(fields);
      await untilDecided(bench);
    });
    const bytes = await bench.world.bytesOfVacuumed('push_deferrals');
    const others = await createPushUsers(bench, 'staying', { realms: 1, usersEach: 2 });
    const left = await bench.progress.step(`${LEAVING}: all leave`, () =>
      leave(crowd, gatewayPort, others, faults),
    );
    return [
      left.finding(away),
      {
        result: resultOfTime({
          name: MEMORY,
          value: bytes / PEOPLE,
          unit: 'bytes',
          limit: MAX_BYTES,
          target: 1,
          cpu_s_per_1000: {},
        }),
        notes: [`${PEOPLE} accounts, ${MESSAGES} messages each`],
        faults: [],
      },
    ];
  } finally {
    user.close();
  }
}

interface Crowd {
  readonly bench: Bench;
  readonly inbox: SandboxInbox;
  readonly realmId: number;
  readonly userIds: readonly number[];
}

/** Notifications a second of one message, after a warm-up. */
async function rateOfAway({ inbox }: Crowd, ask: () => Promise<void>): Promise<number> {
  let rate = 0;
  for (let round = 0; round < 4; round += 1) {
    await inbox.forget();
    const startedAt = performance.now();
    await ask();
    await inbox.untilShown(PEOPLE);
    rate = PEOPLE / ((performance.now() - startedAt) / 1000);
  }
  return rate;
}

/** Waits until workers have reached all recipients. */
async function untilDecided({ world }: Bench): Promise<void> {
  while (await world.hasFanOuts()) await delay(POLL_MS);
}

async function leave(
  { bench, inbox, userIds }: Crowd,
  gatewayPort: number,
  others: readonly PushUser[],
  faults: Faults,
) {
  const [from, to] = others;
  if (from === undefined || to === undefined) throw new Error('There is nobody else.');
  const cpu = pushCpu(bench);
  const expected = PEOPLE * MESSAGES;
  const other = await AskingUser.connect(gatewayPort, from, '/messages');
  const answers: number[] = [];
  const leaving = new AbortController();
  const asking = (async () => {
    while (!leaving.signal.aborted) {
      const askedAt = performance.now();
      await other.ask(`type=direct&to=[${to.userId}]&content=Hello`);
      answers.push(performance.now() - askedAt);
      await delay(OTHER_EVERY_MS);
    }
  })();
  await inbox.forget();
  const startedAt = performance.now();
  const shown = await cpu.during(async () => {
    await bench.world.leave(userIds);
    return (await inbox.untilShown(expected)).shown;
  });
  const seconds = (performance.now() - startedAt) / 1000;
  leaving.abort();
  await asking;
  other.close();
  faults.addCount('notifications missing', Math.max(0, expected - shown));
  return {
    finding: (limit: number): Finding => ({
      result: resultOf({
        name: LEAVING,
        value: shown / seconds,
        unit: 'notifications/s',
        limit,
        target: null,
        cpu_s_per_1000: cpu.perThousand(expected),
      }),
      notes: [
        `all ${expected} shown after ${seconds.toFixed(1)} s`,
        `messages of others were answered within ${latencyText(answers)} (${percentile(answers, 1).toFixed(0)} ms at most)`,
      ],
      faults: faults.list,
    }),
  };
}
