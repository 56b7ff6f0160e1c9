import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { childEnvironment } from '#platform/config';
import type { CommandContext, Progress } from './command.js';
import { exitCodeOf, withLifetime } from './lifetime.js';
import { OwnProcess } from './own-process.js';
import { rememberedPort } from './ports.js';
import { makeRunFolder } from './run-folder.js';
import { makeFilesPrivate } from './server-account.js';
import { openStores, type Stores } from './stores.js';
import { type JestReport, slowestFiles, summaryLine, tallyByTier, total } from './test-report.js';
import { CHAOS, COVERAGE, jestRuns, requestsOf } from './test-runs.js';

const JEST_GRACE_MS = 10_000;
const REPORT_CHECK_MS = 500;
/** How long Jest may take to end after it has written its report. */
const LINGER_MS = 15_000;

/** `npm test`: runs every tier on temporary stores. */
export async function run(context: CommandContext): Promise<number> {
  makeFilesPrivate();
  const testResults: JestReport['testResults'][number][] = [];
  const outcome = await withLifetime(context.progress, async (lifetime) => {
    const folder = makeRunFolder();
    lifetime.removeAtEnd(folder);
    const stores = await openStores(
      // Tests never use the stores of DATABASE_URL and REDIS_URL.
      { root: context.root, folder, isThrowaway: true, given: {}, progress: context.progress },
      lifetime,
    );
    const gatewaysPort = await rememberedPort(path.join(folder, 'gateways.port'));
    let isPassed = true;
    for (const [index, jestArgs] of jestRuns(context.args).entries()) {
      const reportFile = path.join(folder, `report-${index}.json`);
      const jest = startJest(context, jestArgs, { ...stores, gatewaysPort }, reportFile);
      isPassed = (await untilDone(jest, reportFile, context.progress)) && isPassed;
      testResults.push(...resultsIn(reportFile));
    }
    return isPassed ? 0 : 1;
  });
  if (typeof outcome !== 'number') return exitCodeOf(outcome);
  const isGood = printReport({ testResults }, context);
  return isGood ? outcome : 1;
}

function startJest(
  { root, args, progress }: CommandContext,
  jestArgs: readonly string[],
  stores: Stores & { gatewaysPort: number },
  reportFile: string,
): OwnProcess {
  const requests = requestsOf(args);
  return new OwnProcess({
    command: process.execPath,
    args: [
      ['node_modules/jest/bin/jest.js', '--json', '--outputFile', reportFile],
      [progress.hasColors ? '--colors' : '--no-colors'],
      jestArgs,
    ].flat(),
    cwd: root,
    env: childEnvironment({
      TEST_DATABASE_URL: stores.databaseUrl,
      TEST_REDIS_URL: stores.redisUrl,
      TEST_GATEWAYS_PORT: String(stores.gatewaysPort),
      TEST_LONG: String(args.includes(CHAOS)),
      ...(requests !== undefined && { TEST_REQUESTS: requests }),
    }),
    // Jest prints the coverage on its standard output.
    stdio: ['ignore', jestArgs.includes(COVERAGE) ? 'inherit' : 'ignore', 'inherit'],
    stopSignal: 'SIGTERM',
    graceMs: JEST_GRACE_MS,
  });
}

/** Empty if Jest wrote no report. */
function resultsIn(reportFile: string): JestReport['testResults'] {
  if (!existsSync(reportFile)) return [];
  // The format of Jest.
  return (JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport).testResults;
}

/**
 * Waits for Jest to end; resolves with whether the tests passed. Open handles of a test would keep Jest running after its
 * report: then it is stopped.
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
  progress.print('Jest finished but did not exit: a test has open handles. Stopped it.');
  await jest.stop();
  return true;
}

/** Prints the slowest files, a table of the tiers and the sum as the last line; returns whether tests ran and none failed. */
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
