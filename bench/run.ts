import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { applyMigrations, Database } from '#platform/database';
import type { CommandContext, Progress } from '../deploy/local/command.js';
import type { Lifetime } from '../deploy/local/lifetime.js';
import { openStores, type Stores } from '../deploy/local/stores.js';
import { besideFolder, besideIn, besideTable, type BuildDatabase, databaseOf } from './beside.js';
import { describeMachine } from './machine.js';
import { DatabaseMeter } from './measure/database-meter.repository.js';
import { RedisMeter } from './measure/redis-meter.js';
import { Turns } from './measure/turns.js';
import { OurPrograms } from './processes/our-programs.js';
import { costOf, type Finding, isMet, tableOf, writeResults } from './results.js';
import { eventsIdle, eventsLag, eventsMemory } from './scenarios/events-load.js';
import { eventsFanOut, eventsRate, eventsRegister } from './scenarios/events.js';
import { messagesNarrows } from './scenarios/messages-narrows.js';
import { messagesScenarios } from './scenarios/messages.js';
import { presenceCurves } from './scenarios/presence-curves.js';
import { presenceEmptyPoll } from './scenarios/presence-empty-poll.js';
import { presenceHerd } from './scenarios/presence-herd.js';
import { presenceFiftyThousand, presenceTenThousand } from './scenarios/presence-many.js';
import { presenceMemory } from './scenarios/presence-memory.js';
import { presenceReportDelta } from './scenarios/presence-report-delta.js';
import { presenceServiceScenarios } from './scenarios/presence-service.js';
import { pushAcceptanceBacklog } from './scenarios/push-acceptance-backlog.js';
import { pushEncryptedFanOut, pushEncryptedSingle } from './scenarios/push-encrypted.js';
import { pushFairness } from './scenarios/push-fairness.js';
import { pushChannel, pushFanOut } from './scenarios/push-fan-out.js';
import { pushMillion } from './scenarios/push-million.js';
import { pushRivals } from './scenarios/push-rivals.js';
import { pushSingle } from './scenarios/push-single.js';
import { pushTransport } from './scenarios/push-transport.js';
import { receiptsScenario } from './scenarios/receipts.js';
import { serviceNotify } from './scenarios/service-notify.js';
import type { Bench, Scenario } from './scenarios/scenario.js';
import { webPushFanOut, webPushSingle } from './scenarios/web-push.js';
import { BenchMessagesRepository } from './world/bench-messages.repository.js';
import { BenchWebRepository } from './world/bench-web.repository.js';
import { BenchWorldRepository } from './world/bench-world.repository.js';

const scenarios: readonly Scenario[] = [
  presenceReportDelta,
  presenceEmptyPoll,
  ...presenceServiceScenarios,
  presenceTenThousand,
  presenceFiftyThousand,
  presenceHerd,
  presenceMemory,
  presenceCurves,
  pushSingle,
  pushEncryptedSingle,
  pushAcceptanceBacklog,
  // Accounts with 10,000 devices change how PostgreSQL plans the statements of the other scenarios.
  pushChannel,
  pushFanOut,
  pushEncryptedFanOut,
  pushTransport,
  pushFairness,
  pushMillion,
  pushRivals,
  webPushSingle,
  webPushFanOut,
  receiptsScenario,
  eventsRate,
  eventsLag,
  eventsRegister,
  eventsFanOut,
  serviceNotify,
  ...messagesScenarios,
  messagesNarrows,
  eventsIdle,
  eventsMemory,
];

/** The context of one run of the bench. */
interface BenchRun extends CommandContext {
  readonly lifetime: Lifetime;
  readonly stores: Stores;
  /** Removed after the run. */
  readonly folder: string;
}

/** Whether the arguments select a scenario, with known options; otherwise prints the existing ones. */
export function areArgumentsKnown({ args, progress }: CommandContext): boolean {
  const { rest } = besideIn(args);
  const unknown = rest.find((arg) => isOption(arg) && !isKnownOption(arg));
  if (unknown !== undefined) {
    progress.print(`${unknown} is no option. The options: ${OPTIONS.join(', ')}.`);
  }
  const isFound = selected(rest).length > 0;
  if (!isFound) progress.print('Nothing is called so.');
  if (isFound && unknown === undefined) return true;
  const names = scenarios.map(({ name }) => name).join(', ');
  progress.print(`Give the beginning of a name, or nothing for all: ${names}.`);
  return false;
}

/**
 * Measures the selected scenarios, by default all, prints the results and writes bench/results/latest.json. Resolves
 * with 1 only for wrong responses: a slow machine is not a failure.
 */
export async function runBench(given: BenchRun): Promise<number> {
  const { beside, rest: args } = besideIn(given.args);
  const run = { ...given, args };
  const { root, progress } = run;
  const bench = await openBench(run, { applyMigrations, Database });
  const other = beside === null ? null : await openBeside(run, beside);
  const findings: Finding[] = [];
  const others: Finding[] = [];
  for (const scenario of selected(args)) {
    const turns = new Turns();
    const measure = (side: Bench) =>
      turns.run(async () => {
        await progress.step('Vacuum', () => side.world.vacuum());
        return [await scenario.measure(side)].flat();
      });
    const [ours, theirs] = await Promise.all([
      measure(bench),
      other === null ? [] : measure(other),
    ]);
    findings.push(...ours);
    others.push(...theirs);
  }
  // Node writes a profile when the program ends.
  if (bench.place.profileFolder !== null) await bench.programs.stop();

  report(findings, progress);
  if (other !== null) {
    progress.print(`\nThis build, and that in ${beside}:`);
    for (const line of besideTable(findings, others)) progress.print(line);
  }
  const faults = [...findings, ...others].flatMap(({ result, faults: list }) =>
    list.map((fault) => `${result.name}: ${fault}`),
  );
  if (faults.length > 0) {
    progress.print(progress.paint('red', `\nWrong answers; these figures are worth nothing.`));
    for (const fault of faults) progress.print(`  ${fault}`);
    return 1;
  }
  const results = findings.map(({ result }) => result);
  const file = await writeResults(root, describeMachine(new Date()), results);
  progress.print(`\nWritten to ${file}`);
  return 0;
}

/** Building the index of the words of ten million messages takes minutes. */
const MAX_STATEMENT_MS = 1_200_000;

const MESSAGES = 50_000;
const MESSAGES_OPTION = '--messages=';

/** The value of the option `--messages`, or the default. */
function messagesIn(args: readonly string[]): number {
  const given = args.find((arg) => arg.startsWith(MESSAGES_OPTION));
  const count = given === undefined ? MESSAGES : Number(given.slice(MESSAGES_OPTION.length));
  if (!Number.isInteger(count) || count < MESSAGES) {
    throw new Error(`${MESSAGES_OPTION} needs a whole number of at least ${MESSAGES}`);
  }
  return count;
}

const PROFILE_OPTION = '--profile';
const OPTIONS = ['--beside <folder>', PROFILE_OPTION, `${MESSAGES_OPTION}<number>`];

const isOption = (arg: string): boolean => arg.startsWith('-');
const isKnownOption = (arg: string): boolean =>
  arg === PROFILE_OPTION || arg.startsWith(MESSAGES_OPTION);

/** The scenarios whose names begin with one of the arguments, by default all. A long scenario needs its full name. */
function selected(args: readonly string[]): Scenario[] {
  const names = args.filter((arg) => !isOption(arg));
  return scenarios.filter(
    ({ name, isLong = false }) =>
      names.includes(name) ||
      (!isLong && (names.length === 0 || names.some((beginning) => name.startsWith(beginning)))),
  );
}

/** The programs and the schema of another build, on stores of their own. */
async function openBeside(run: BenchRun, root: string): Promise<Bench> {
  const { progress, lifetime } = run;
  const folder = await besideFolder(run.folder);
  const stores = await openStores(
    { root: run.root, folder, isThrowaway: true, given: {}, progress },
    lifetime,
  );
  const bench = await openBench({ ...run, folder, stores, args: [] }, await databaseOf(root), root);
  return { ...bench, messageCount: messagesIn(run.args) };
}

async function openBench(
  { root, args, folder, stores, progress, lifetime }: BenchRun,
  build: BuildDatabase,
  programsRoot = root,
) {
  const profileFolder = args.includes(PROFILE_OPTION) ? path.join(root, 'bench/results') : null;
  const place = { root, logFolder: folder, profileFolder };
  if (profileFolder !== null) mkdirSync(profileFolder, { recursive: true });
  await progress.step('Migrations', () =>
    build.applyMigrations(stores.databaseUrl, path.join(programsRoot, 'prisma/migrations')),
  );
  const options = { poolSize: 2, answerTimeoutMs: MAX_STATEMENT_MS };
  const database = new build.Database({ url: stores.databaseUrl, ...options });
  lifetime.defer(() => database.onApplicationShutdown());
  const redis = await RedisMeter.open(stores.redisUrl);
  lifetime.defer(() => redis.close());
  const programs = await OurPrograms.on({ ...place, root: programsRoot }, stores);
  lifetime.defer(() => programs.stop());
  return {
    place,
    progress,
    redisUrl: stores.redisUrl,
    world: new BenchWorldRepository(database),
    web: new BenchWebRepository(database),
    messages: new BenchMessagesRepository(database),
    messageCount: messagesIn(args),
    programs,
    redis,
    database: new DatabaseMeter(database),
  } satisfies Bench;
}

function report(findings: readonly Finding[], progress: Progress): void {
  progress.print('');
  const [heading = '', ...lines] = tableOf(findings.map(({ result }) => result));
  progress.print(progress.paint('bold', heading));
  for (const [index, { result, notes }] of findings.entries()) {
    progress.print(progress.paint(isMet(result) ? 'green' : 'yellow', lines[index] ?? ''));
    for (const note of [costOf(result), ...notes]) progress.print(`  ${note}`);
  }
}
