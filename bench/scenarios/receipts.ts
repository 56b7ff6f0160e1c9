import { FormRequest } from '../load/form-request.js';
import { inParallel } from '../load/in-parallel.js';
import type { PushUser } from '../load/push-crowd.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { median } from '../measure/median.js';
import { cpuClock } from '../measure/process-cpu.js';
import { passTurn } from '../measure/turns.js';
import { type Finding, resultOf } from '../results.js';
import { APP_ID } from '../world/bench-world.js';
import { Faults } from './faults.js';
import { scenarioWith } from './missing-feature.js';
import { createPushUsers, newTokens, startPush } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';

const NAME = 'receipts';
const PATH = '/mobile_push/receipts';
const CROWD = { realms: 4, usersEach: 5 };
const CONNECTIONS = 8;
const ROUNDS = 7;
/** Receipts a second that a core of the gateway takes at least. */
const LEAST = 5000;
const TARGET = 1;

/** The receipts of a request, and the requests of each person in a round. */
const LOADS = [
  { name: `${NAME}.single`, receipts: 1, requests: 200 },
  { name: `${NAME}.hundred`, receipts: 100, requests: 10 },
] as const;

/** Receipts of notifications that have none yet: how many a core of the gateway takes, one and a hundred in a request. */
export const receiptsScenario: Scenario = scenarioWith(
  { title: 'receipts', table: 'push_receipts', column: 'received_at' },
  NAME,
  measure,
);

interface Person {
  readonly user: PushUser;
  readonly deviceId: number;
}

async function measure(bench: Bench): Promise<Finding[]> {
  const { gatewayPort } = await startPush(bench, NAME, { hasWorker: false });
  const users = await createPushUsers(bench, NAME, CROWD);
  const tokens = newTokens(users.length);
  const devices = users.map(({ userId }, index) => ({ userId, token: tokens[index] ?? '' }));
  const ids = await bench.world.createDevices(devices, APP_ID);
  const people = users.map((user, index) => ({ user, deviceId: ids[index] ?? 0 }));
  const findings: Finding[] = [];
  for (const load of LOADS) {
    const step = `${load.name}: ${ROUNDS} rounds`;
    findings.push(
      await bench.progress.step(step, () => findingOf(bench, load, { gatewayPort, people })),
    );
  }
  await bench.world.forgetNotifications();
  return findings;
}

async function findingOf(
  bench: Bench,
  { name, receipts, requests }: (typeof LOADS)[number],
  { gatewayPort, people }: { readonly gatewayPort: number; readonly people: readonly Person[] },
): Promise<Finding> {
  const { world, programs, redis, database } = bench;
  const faults = new Faults();
  const total = receipts * requests * people.length;
  const gateway = cpuClock(programs.pidOf('api-gateway'));
  const cpu = new CpuUsage({
    'api-gateway': gateway,
    redis: () => redis.cpuSeconds(),
    postgresql: () => database.cpuSeconds(),
  });
  const perCore: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const texts: string[] = [];
    for (const { user, deviceId } of people) {
      const of = { userId: user.userId, deviceId };
      texts.push(
        ...requestsOf(user, await world.acceptSilently(of, receipts * requests), receipts),
      );
    }
    const startedAt = performance.now();
    const before = (await gateway()) ?? Number.NaN;
    const send = () => sendAll(gatewayPort, texts, receipts);
    const wrong = await (round === 0 ? send() : cpu.during(send));
    const seconds = (performance.now() - startedAt) / 1000;
    faults.addCount('not accepted', wrong);
    // The first round warms up.
    if (round === 0) continue;
    perCore.push(total / (((await gateway()) ?? Number.NaN) - before));
    rates.push(total / seconds);
    await passTurn();
  }
  const measured = { name, value: median(perCore), unit: 'receipts/s of a core', limit: LEAST };
  const cpu_s_per_1000 = cpu.perThousand(ROUNDS * total);
  return {
    result: resultOf({ ...measured, target: TARGET, cpu_s_per_1000 }),
    notes: [
      `${receipts} in a request, all on this machine: ${median(rates).toFixed(0)} receipts/s`,
    ],
    faults: faults.list,
  };
}

/** A request for each group of notifications, in which all of them were received. */
function requestsOf(user: PushUser, ids: readonly string[], receipts: number): string[] {
  const request = new FormRequest(user.host, PATH, user);
  const time = Math.floor(Date.now() / 1000);
  const texts: string[] = [];
  for (let start = 0; start < ids.length; start += receipts) {
    const list = ids
      .slice(start, start + receipts)
      .map((id) => ({ notification_id: id, event: 'received', time }));
    texts.push(request.with(`receipts=${encodeURIComponent(JSON.stringify(list))}`));
  }
  return texts;
}

/** Resolves with the number of requests whose receipts were not all accepted. */
async function sendAll(port: number, texts: readonly string[], receipts: number): Promise<number> {
  let wrong = 0;
  const rest = texts.values();
  await inParallel(port, CONNECTIONS, async (connection) => {
    const { value: text } = rest.next();
    if (text === undefined) return false;
    const { status, body } = await connection.exchange(text);
    if (status !== 200 || !body.includes(`"accepted":${receipts},`)) wrong += 1;
    return true;
  });
  return wrong;
}
