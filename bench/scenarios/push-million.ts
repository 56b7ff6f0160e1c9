import { AskingUser } from '../load/asking-user.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import { median } from '../measure/median.js';
import { passTurn } from '../measure/turns.js';
import { reportsMemory } from '../processes/our-programs.js';
import { cpuText, type Finding, resultOf, resultOfTime } from '../results.js';
import { APP_ID, type BenchUser, createRealm } from '../world/bench-world.js';
import { FanOutRounds } from './fan-out-rounds.js';
import { Faults } from './faults.js';
import { newTokens, pushCpu, startPush } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';

const name = 'push.fanout_1000000';
const PHONES_EACH = 20;
const EVERYBODY = { people: 50_000, devices: 1_000_000 };
const FEW = { people: 500, devices: 10_000 };
/** Values of one statement. */
const DEVICES_AT_ONCE = 100_000;
const WARM_UP_ROUNDS = 3;
const ROUNDS = 7;
const RATE_TARGET = 0.9;
/** A collection of garbage does not find the same memory twice. */
const MEMORY_TARGET = 0.95;
const EARLY = 0.1;
const LATE = 0.9;

/** One message that reaches a million phones: its rate beside that of ten thousand, and the growth of memory meanwhile. */
export const pushMillion: Scenario = { name, isLong: true, measure };

interface Channels {
  readonly few: number;
  readonly everybody: number;
}

async function measure(bench: Bench): Promise<Finding[]> {
  const { programs, progress } = bench;
  const measured = ['api-gateway', 'push-worker'] as const;
  for (const program of measured) await programs.stopOne(program);
  await programs.start('push-sandbox');
  for (const program of measured) await programs.start(program, reportsMemory(bench.place));
  const { gatewayPort, sandboxUrl } = await startPush(bench, name);
  const { sender, channels } = await progress.step(`${name}: a million phones`, () =>
    createWorld(bench),
  );
  const inbox = new SandboxInbox(sandboxUrl);
  const user = await AskingUser.connect(gatewayPort, sender, '/messages');
  const writeTo = (channel: keyof Channels) =>
    user.ask(`type=channel&to=${channels[channel]}&topic=bench&content=Hello`);
  try {
    return await compare(bench, inbox, writeTo);
  } finally {
    user.close();
    for (const program of measured) await programs.stopOne(program);
  }
}

/** An organisation of 50,000 people with 20 phones each, and two channels. */
async function createWorld({ world }: Bench) {
  const { id, host, users } = await createRealm(world, 'million', EVERYBODY.people + 1);
  const [sender, ...people] = users;
  if (sender === undefined) throw new Error('There is no sender.');
  await createPhones(world, people);
  const channelOf = (title: string, members: readonly BenchUser[]) => ({
    name: title,
    userIds: [sender, ...members].map(({ userId }) => userId),
  });
  const [few = 0, everybody = 0] = await world.createChannels(id, [
    channelOf('few', people.slice(0, FEW.people)),
    channelOf('everybody', people),
  ]);
  return { sender: { ...sender, host }, channels: { few, everybody } };
}

async function createPhones(world: Bench['world'], people: readonly BenchUser[]): Promise<void> {
  const owners = DEVICES_AT_ONCE / PHONES_EACH;
  for (let start = 0; start < people.length; start += owners) {
    const tokens = newTokens(DEVICES_AT_ONCE);
    const phones = people
      .slice(start, start + owners)
      .flatMap(({ userId }) => tokens.splice(0, PHONES_EACH).map((token) => ({ userId, token })));
    await world.createDevices(phones, APP_ID);
  }
}

async function compare(
  bench: Bench,
  inbox: SandboxInbox,
  writeTo: (channel: keyof Channels) => Promise<void>,
): Promise<Finding[]> {
  const { progress } = bench;
  const faults = new Faults();
  const few = new FanOutRounds(inbox, FEW.devices, faults);
  const rateOfFew = () => few.rateOf('ten thousand', () => writeTo('few'));
  const rates: number[] = [];
  const cpuOfFew = pushCpu(bench);
  await progress.step(`${name}: ten thousand phones`, async () => {
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await rateOfFew();
    await cpuOfFew.during(async () => {
      for (let round = 0; round < ROUNDS; round += 1) rates.push(await rateOfFew());
    });
  });
  await passTurn();
  const cpu = pushCpu(bench);
  const everybody = new FanOutRounds(inbox, EVERYBODY.devices, faults);
  let memory: MemoryGrowth | undefined;
  let answeredMs = Number.NaN;
  const rate = await progress.step(`${name}: a million phones at once`, () =>
    cpu.during(() =>
      everybody.rateOf('a million', async () => {
        const askedAt = performance.now();
        const written = writeTo('everybody').then(() => {
          answeredMs = performance.now() - askedAt;
        });
        [memory] = await Promise.all([memoryDuring(bench, inbox), written]);
      }),
    ),
  );
  const result = resultOf({
    name,
    value: rate,
    unit: 'devices/s',
    limit: median(rates),
    target: RATE_TARGET,
    cpu_s_per_1000: cpu.perThousand(EVERYBODY.devices),
  });
  const notes = [
    `the limit's CPU each: ${cpuText(cpuOfFew.perThousand(ROUNDS * FEW.devices))}`,
    `all shown after ${(EVERYBODY.devices / rate).toFixed(0)} s`,
    `the message was answered after ${answeredMs.toFixed(0)} ms`,
  ];
  return [{ result, notes, faults: faults.list }, ...memoryFindings(memory)];
}

interface Memory {
  readonly 'api-gateway': number;
  readonly 'push-worker': number;
}

interface MemoryGrowth {
  readonly early: Memory;
  readonly late: Memory;
}

/** The memory of the programs after garbage collections, near the beginning and near the end of the fan-out. */
async function memoryDuring({ programs }: Bench, inbox: SandboxInbox): Promise<MemoryGrowth> {
  const memory = async (share: number): Promise<Memory> => {
    await inbox.untilShown(share * EVERYBODY.devices);
    return {
      'api-gateway': await programs.memoryOf('api-gateway'),
      'push-worker': await programs.memoryOf('push-worker'),
    };
  };
  return { early: await memory(EARLY), late: await memory(LATE) };
}

function memoryFindings(memory: MemoryGrowth | undefined): Finding[] {
  if (memory === undefined) throw new Error('The fan-out has not begun.');
  const { early, late } = memory;
  const finding = (program: keyof Memory): Finding => ({
    result: resultOfTime({
      name: `${name}.memory.${program}`,
      value: late[program] / 2 ** 20,
      unit: 'MiB',
      limit: early[program] / 2 ** 20,
      target: MEMORY_TARGET,
      cpu_s_per_1000: {},
    }),
    notes: ['after nine tenths of the phones; the limit: after one tenth'],
    faults: [],
  });
  return [finding('api-gateway'), finding('push-worker')];
}
