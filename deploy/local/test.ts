import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { childEnvironment } from '#config';
import type { CommandContext, Progress } from './command.js';
import { exitCodeOf, type Lifetime, withLifetime } from './lifetime.js';
import { isAlive } from './other-processes.js';
import { OwnProcess } from './own-process.js';
import { rememberedPort } from './ports.js';
import { makeFilesPrivate } from './server-account.js';
import { openStores, type Stores } from './stores.js';
import { type JestReport, slowestFiles, summaryLine, tallyByTier, total } from './test-report.js';

const JEST_GRACE_MS = 10_000;
const REPORT_CHECK_MS = 500;
/** How long Jest may take to end by itself once its report is there. */
const LINGER_MS = 15_000;

/** `npm run test:chaos` gives this: the random tests alone, for long, on a random seed. */
const CHAOS = '--chaos';
const CHAOS_FILES = [
  'push-chaos',
  'presence-chaos',
  'presence-never-skips',
  'push-transport.conf',
  'hostile',
];
/** The random tests of `npm test` are to be the same in each run. */
const FIXED_SEED = '1';

/** `npm test`: runs every tier against stores that exist only as long as the run does. */
export async function run(context: CommandContext): Promise<number> {
  makeFilesPrivate();
  let report: JestReport = { testResults: [] };
  const outcome = await withLifetime(context.progress, async (lifetime) => {
    const folder = makeThrowawayFolder(lifetime);
    const stores = await openStores(
      // What DATABASE_URL and REDIS_URL name is nothing to test on: none is given.
      { root: context.root, folder, isThrowaway: true, given: {}, progress: context.progress },
      lifetime,
    );
    const reportFile = path.join(folder, 'report.json');
    const gatewaysPort = await rememberedPort(path.join(folder, 'gateways.port'));
    const jest = startJest(context, { ...stores, gatewaysPort }, reportFile);
    const isContent = await untilDone(jest, reportFile, context.progress);
    // The shape is Jest's. There is no file when Jest itself did not get to run.
    if (existsSync(reportFile)) report = JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport;
    return isContent ? 0 : 1;
  });
  if (typeof outcome !== 'number') return exitCodeOf(outcome);
  const isGood = printReport(report, context);
  return isGood ? outcome : 1;
}

const FOLDER_PREFIX = 'carillon-test-';

/** Makes a folder that names its launcher, so that the next run can tell whether it was left behind. */
function makeThrowawayFolder(lifetime: Lifetime): string {
  removeLeftFolders();
  const folder = mkdtempSync(path.join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  // As root we run the database as another account, which must pass through.
  chmodSync(folder, 0o711);
  lifetime.removeAtEnd(folder);
  return folder;
}

/** Removes the folders of ours whose launcher was killed outright. */
function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
    const folder = path.join(tmpdir(), name);
    const launcher = Number.parseInt(name.slice(FOLDER_PREFIX.length), 10);
    const isOurs = lstatSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
    if (isOurs && !isAlive(launcher)) rmSync(folder, { recursive: true, force: true });
  }
}

function startJest(
  { root, args, progress }: CommandContext,
  stores: Stores & { gatewaysPort: number },
  reportFile: string,
): OwnProcess {
  return new OwnProcess({
    command: process.execPath,
    args: [
      ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      ['node_modules/jest/bin/jest.js', '--json', '--outputFile', reportFile],
      [progress.hasColors ? '--colors' : '--no-colors'],
      jestArguments(args),
    ].flat(),
    cwd: root,
    env: childEnvironment({
      TEST_DATABASE_URL: stores.databaseUrl,
      TEST_REDIS_URL: stores.redisUrl,
      TEST_GATEWAYS_PORT: String(stores.gatewaysPort),
      TEST_LONG: String(args.includes(CHAOS)),
    }),
    // With --json Jest prints the report on its standard output too, which nobody wants to read.
    stdio: ['ignore', 'ignore', 'inherit'],
    stopSignal: 'SIGTERM',
    graceMs: JEST_GRACE_MS,
  });
}

function jestArguments(args: readonly string[]): string[] {
  const given = args.filter((argument) => argument !== CHAOS);
  if (!args.includes(CHAOS)) {
    const isSeedGiven = given.some((argument) => argument.startsWith('--seed'));
    return isSeedGiven ? given : ['--seed', FIXED_SEED, ...given];
  }
  return given.some((argument) => !argument.startsWith('-')) ? given : [...CHAOS_FILES, ...given];
}

/**
 * Waits for Jest to end; resolves with whether it was content. When a test has left something open,
 * Jest would wait for that for ever after its report: it is then told to stop, and so is the reader.
 */
async function untilDone(
  jest: OwnProcess,
  reportFile: string,
  progress: Progress,
): Promise<boolean> {
  while (jest.isRunning && !existsSync(reportFile)) {
    await Promise.race([jest.ended, delay(REPORT_CHECK_MS)]);
  }
  await Promise.race([jest.ended, delay(LINGER_MS)]);
  if (!jest.isRunning) return (await jest.ended) === 'code 0';
  progress.print('Jest was done but did not end: some test has left something open. Stopped it.');
  await jest.stop();
  return true;
}

/** Prints the slowest files, a table of the tiers and, last of all, the sum; tells whether tests ran and none failed. */
function printReport(report: JestReport, { root, progress }: CommandContext): boolean {
  const tallies = tallyByTier(report);
  progress.print('\nThe slowest files:');
  for (const line of slowestFiles(report, root)) progress.print(line);
  progress.print('');
  for (const [tier, tally] of tallies) {
    const mark = tally.failed > 0 ? progress.paint('red', '✖') : progress.paint('green', '✔');
    progress.print(`${mark} ${tier.padEnd(12)} ${summaryLine(tally)}`);
  }
  const sum = total(tallies.values());
  if (sum.passed + sum.failed === 0) progress.print('No test ran.');
  progress.print(summaryLine(sum));
  return sum.failed === 0 && sum.passed > 0;
}
