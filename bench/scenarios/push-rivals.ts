import { AskingUser } from '../load/asking-user.js';
import type { PushUser } from '../load/push-crowd.js';
import { gatherPushLoad, type PushLoad } from '../load/push-load.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import { CpuUsage, type CpuClocks } from '../measure/cpu-usage.js';
import { inTurn } from '../measure/interleave.js';
import { cpuClock } from '../measure/process-cpu.js';
import { passTurn } from '../measure/turns.js';
import { type Finding, type Losses, type Measured, resultOf } from '../results.js';
import { Carillon, type Design, providersOf, Rival } from '../rivals/rival.js';
import type { RivalPackage } from '../rivals/rival-plan.js';
import { APP_ID } from '../world/bench-world.js';
import { FanOutRounds } from './fan-out-rounds.js';
import { Faults } from './faults.js';
import { createPushUsers, newTokens, startPush } from './push-world.js';
import { lossesOf, type LossPlan } from './rival-losses.js';
import type { Bench, Scenario } from './scenario.js';

const NAME = 'push.rivals';
const CROWD = { realms: 10, usersEach: 100 };
const SINGLE = { connections: 64, warmUp: 4000, notifications: 4000, rounds: 5 };
const FAN_OUT = { devices: 10_000, warmUpRounds: 2, rounds: 5 };

/** The packages of the documentation of Nest, Apple's and Google's developers, by provider. */
const PROVIDERS: readonly {
  readonly service: 'apns' | 'fcm';
  readonly packages: readonly RivalPackage[];
}[] = [
  { service: 'apns', packages: ['@parse/node-apn', 'apns2'] },
  { service: 'fcm', packages: ['firebase-admin'] },
];

/**
 * What a user would build instead, beside Carillon: the rates, and what each loses when it is killed in the middle of a
 * fan-out and when Redis is emptied. It restarts programs and waits for minutes until nothing moves.
 */
export const pushRivals: Scenario = { name: NAME, isLong: true, measure };

interface Contest {
  readonly bench: Bench;
  readonly service: 'apns' | 'fcm';
  readonly sandboxUrl: string;
  readonly designs: readonly Design[];
  /** With a phone each. */
  readonly users: readonly PushUser[];
  /** With all phones of the fan-out. */
  readonly account: PushUser;
  readonly faults: Faults;
}

/** The figures of one design. */
interface Figures {
  readonly rate: number;
  readonly cpu: Readonly<Record<string, number>>;
}

async function measure(bench: Bench): Promise<Finding[]> {
  const { sandboxUrl } = await startPush(bench, NAME);
  const findings: Finding[] = [];
  const rows: string[] = [];
  for (const { service, packages } of PROVIDERS) {
    const contest = await prepare(bench, { service, packages, sandboxUrl });
    const { single, fanOut } = await ratesOf(contest);
    const losses = await lossesOfAll(contest);
    findings.push(...findingsOf(contest, { single, fanOut, losses }));
    rows.push(
      ...contest.designs.map(({ name }) => rowOf(service, name, { single, fanOut, losses })),
    );
  }
  await new Carillon(bench).start();
  const [first, ...others] = findings;
  if (first === undefined) return [];
  return [{ ...first, notes: [...first.notes, ...rows] }, ...others];
}

async function prepare(
  bench: Bench,
  of: (typeof PROVIDERS)[number] & { readonly sandboxUrl: string },
): Promise<Contest> {
  const { service, packages, sandboxUrl } = of;
  const users = await createPushUsers(bench, `rivals-${service}`, CROWD);
  const [account] = await createPushUsers(bench, `crowd-${service}`, { realms: 1, usersEach: 1 });
  if (account === undefined) throw new Error('There is no account.');
  const owners = [...users, ...Array.from({ length: FAN_OUT.devices }, () => account)];
  const tokens = newTokens(owners.length);
  const phones = owners.map(({ userId }, index) => ({ userId, token: tokens[index] ?? '' }));
  await bench.world.createDevices(phones, APP_ID, service);
  const { redisUrl } = bench;
  const plan = { redisUrl, topic: APP_ID, access: providersOf(bench), phones };
  const rivals = packages.map(
    (name) => new Rival(bench, { ...plan, package: name, users: [...users, account] }),
  );
  const designs = [new Carillon(bench), ...rivals];
  return { bench, service, sandboxUrl, designs, users, account, faults: new Faults() };
}

type FiguresByName = ReadonlyMap<string, Figures>;

/** All designs run, and work in turn. */
async function ratesOf(
  contest: Contest,
): Promise<{ single: FiguresByName; fanOut: FiguresByName }> {
  const { bench, designs, service } = contest;
  for (const design of designs) await design.start();
  try {
    const name = `${NAME}, ${service}`;
    const single = await bench.progress.step(`${name}: one phone at a time`, () =>
      singleRates(contest),
    );
    const fanOut = await bench.progress.step(`${name}: ${FAN_OUT.devices} phones`, () =>
      fanOutRates(contest),
    );
    return { single, fanOut };
  } finally {
    for (const design of designs) await design.stop();
  }
}

async function singleRates(contest: Contest): Promise<FiguresByName> {
  const { bench, sandboxUrl, users, faults, designs, service } = contest;
  const { connections, notifications, warmUp, rounds } = SINGLE;
  const loads = new Map<Design, PushLoad>();
  for (const design of designs) {
    const plan = { port: design.port, users, sandboxUrl, service };
    loads.set(design, await gatherPushLoad(bench.place, plan));
  }
  const rateOf = async (design: Design, count: number) => {
    const tally = await loads.get(design)?.call('send', connections, count);
    if (tally === undefined) throw new Error('There is no load.');
    faults.add(`${design.name}, one phone at a time`, tally);
    return tally.requests / tally.seconds;
  };
  try {
    for (const design of designs) await rateOf(design, warmUp);
    const round = (design: Design) => rateOf(design, notifications);
    return await figuresOf(contest, { rounds, each: notifications, round });
  } finally {
    for (const load of loads.values()) await load.stop();
  }
}

async function fanOutRates(contest: Contest): Promise<FiguresByName> {
  const { sandboxUrl, account, faults, designs, service } = contest;
  const { devices, warmUpRounds, rounds } = FAN_OUT;
  const shown = new FanOutRounds(new SandboxInbox(sandboxUrl, service), devices, faults);
  const rateOf = async (design: Design) => {
    const user = await AskingUser.connect(design.port, account);
    try {
      return await shown.rateOf(`${design.name}, ${devices} phones`, () => user.ask());
    } finally {
      user.close();
    }
  };
  for (let round = 0; round < warmUpRounds; round += 1) {
    for (const design of designs) await rateOf(design);
  }
  return figuresOf(contest, { rounds, each: devices, round: rateOf });
}

/** Measures all designs in each round; the medians by name. */
async function figuresOf(
  { bench, designs }: Contest,
  work: {
    readonly rounds: number;
    /** Notifications in each round. */
    readonly each: number;
    readonly round: (design: Design) => Promise<number>;
  },
): Promise<FiguresByName> {
  const { programs, redis } = bench;
  const shared: CpuClocks = {
    redis: () => redis.cpuSeconds(),
    'push-sandbox': cpuClock(programs.pidOf('push-sandbox')),
  };
  const measured = designs.map((design) => ({
    design,
    cpu: new CpuUsage({ ...design.cpu, ...shared }),
  }));
  const rates = await inTurn<string>(
    work.rounds,
    Object.fromEntries(
      measured.map(({ design, cpu }) => [design.name, () => cpu.during(() => work.round(design))]),
    ),
  );
  return new Map(
    measured.map(({ design: { name }, cpu }) => [
      name,
      { rate: rates[name] ?? Number.NaN, cpu: cpu.perThousand(work.rounds * work.each) },
    ]),
  );
}

/** One design after the other, alone: the others would be hit too. */
async function lossesOfAll(contest: Contest): Promise<ReadonlyMap<string, Losses>> {
  const { bench, service, sandboxUrl, account, designs, faults } = contest;
  const inbox = new SandboxInbox(sandboxUrl, service);
  const plan: LossPlan = { bench, inbox, account, phones: FAN_OUT.devices };
  const found = new Map<string, Losses>();
  for (const design of designs) {
    const losses = await bench.progress.step(`${NAME}: what ${design.name} loses`, () =>
      lossesOf(plan, design),
    );
    bench.progress.print(`${design.name}: ${JSON.stringify(losses)}`);
    found.set(design.name, losses);
    await passTurn();
  }
  for (const [what, count] of Object.entries(found.get('Carillon') ?? {})) {
    if (what.startsWith('lost')) faults.addCount(`Carillon: ${what}`, count);
  }
  return found;
}

interface Outcome {
  readonly single: FiguresByName;
  readonly fanOut: FiguresByName;
  readonly losses: ReadonlyMap<string, Losses>;
}

/** Two results for each rival, in which it is the limit. */
function findingsOf({ designs, faults }: Contest, { single, fanOut, losses }: Outcome): Finding[] {
  const [ours, ...rivals] = designs.map(({ name }) => name);
  const finding = (name: string, rival: string, of: FiguresByName, more: Partial<Measured>) => {
    const [mine, other] = [of.get(ours ?? ''), of.get(rival)];
    const measured: Measured = {
      name: `${NAME}.${rival}.${name}`,
      value: mine?.rate ?? Number.NaN,
      unit: 'notifications/s',
      limit: other?.rate ?? Number.NaN,
      target: null,
      cpu_s_per_1000: mine?.cpu ?? {},
      limit_cpu_s_per_1000: other?.cpu ?? {},
    };
    return { result: resultOf({ ...measured, ...more }), notes: [], faults: [] };
  };
  const findings: Finding[] = rivals.flatMap((rival) => [
    finding('single', rival, single, {}),
    finding('fanout_10000', rival, fanOut, {
      losses: losses.get(ours ?? '') ?? {},
      limit_losses: losses.get(rival) ?? {},
    }),
  ]);
  return findings.map((one, index) => (index === 0 ? { ...one, faults: faults.list } : one));
}

/** A line of the table in the README. */
function rowOf(service: Contest['service'], name: string, { single, fanOut, losses }: Outcome) {
  const rate = (of: FiguresByName) =>
    `${Math.round(of.get(name)?.rate ?? 0).toLocaleString('en')}/s`;
  const counts = Object.values(losses.get(name) ?? {}).map((count) => count.toLocaleString('en'));
  const provider = service === 'apns' ? 'Apple' : 'Google';
  return `| ${[`${name}, ${provider}`, rate(single), rate(fanOut), ...counts].join(' | ')} |`;
}
