import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { applyMigrations } from '#platform/database';
import { Balancer } from '#test/balancer';
import { ChaosProgram, lastLogLinesOf } from '#test/chaos-program';
import { isLongRun } from '#test/chaos-run';
import { ConfirmedWork } from '#test/confirmed-work';
import { eventually } from '#test/eventually';
import { freePorts } from '#test/free-ports';
import { LastRelease, lastReleaseCommit } from '#test/last-release';
import { startSystem, type System } from '#test/start-system';
import { createEmptyDatabase } from '#test/test-stores';

/** Includes the build of the last release. */
jest.setTimeout(1_500_000);

const PEOPLE = ['alice', 'bob', 'carol'];
const NAMES = ['api-gateway', 'presence', 'push-worker'] as const;
const EACH = 2;
/** Ten times the interval of the balancer's health checks. */
const SHUTDOWN_DELAY_SECONDS = '2';
/** Messages between two changes of a program. */
const BETWEEN = 5;

let release: LastRelease | undefined;
let system: System | undefined;
let balancer: Balancer | undefined;
let programs: readonly (Replaceable & { readonly name: string })[] = [];

interface Replaceable {
  readonly program: ChaosProgram;
  /** The address of a gateway. */
  readonly url: string | null;
}

const commit = isLongRun ? await lastReleaseCommit() : null;
if (isLongRun && commit === null) {
  process.stderr.write('last release: skipped, because this is no clone with the history\n');
}
// The build takes minutes: only in `npm run test:chaos`.
const describing = commit === null ? describe.skip : describe;

/** Starts the system of the last release: on its schema, with its demo organisation. */
async function startLastRelease(built: LastRelease): Promise<System> {
  const database = await createEmptyDatabase();
  await applyMigrations(database.url, built.migrations);
  const started = await startSystem({
    programs: ['push-sandbox'],
    database,
    seed: (options) => built.seed(options),
    environment: { SHUTDOWN_DELAY_SECONDS, RATE_LIMIT_USER: '60:1000000' },
  });
  const ports = await freePorts(NAMES.length * EACH * 2);
  const presence = [ports[0], ports[1]];
  let next = EACH;
  const take = () => ports[next++] ?? 0;
  programs = NAMES.flatMap((name) =>
    Array.from({ length: EACH }, (_, index) => {
      const port = name === 'presence' ? (presence[index] ?? 0) : take();
      const environment = {
        ...(name === 'api-gateway' && { PORT: String(port) }),
        ...(name === 'presence' && { PRESENCE_PORT: String(port) }),
        PRESENCE_ADDRESSES: presence.map((each) => `127.0.0.1:${each}`).join(),
      };
      const options = { name, index, healthPort: take(), environment, root: built.root };
      const url = name === 'api-gateway' ? `http://127.0.0.1:${port}` : null;
      return { name, program: new ChaosProgram(started, options), url };
    }),
  );
  started.beforeStop(async () => {
    await Promise.all(programs.map(({ program }) => program.stop()));
  });
  for (const { program } of programs) await program.start();
  return started;
}

const untilUsed = (url: string | null) =>
  eventually(() => expect(url === null || balancer?.uses(url)).toBe(true), 60_000);

/** Replaces one program after another by the release in `root`, under load. */
async function replaceAll(work: ConfirmedWork, order: typeof programs, root: string) {
  for (const { program, url } of order) {
    await program.stop();
    await program.start(root);
    await untilUsed(url);
    await work.untilMore(BETWEEN);
  }
}

describing('The last release beside this one (only in long runs, with the history of git)', () => {
  beforeAll(async () => {
    release = await LastRelease.build(commit ?? '');
    system = await startLastRelease(release);
    balancer = await Balancer.start(programs.flatMap(({ url }) => url ?? []));
    for (const { url } of programs) await untilUsed(url);
  });
  afterAll(async () => {
    balancer?.stop();
    await system?.stop();
    await release?.remove();
  });

  it('is replaced, restored and replaced in the other order under load, with no failed request', async () => {
    if (system === undefined || balancer === undefined || release === undefined) return;
    const work = await ConfirmedWork.ofDemo(system, PEOPLE, balancer.url);
    work.begin(balancer.url);
    try {
      await work.untilMore(BETWEEN);
      const applied = await applyMigrations(system.database.url);
      await work.untilMore(BETWEEN);
      await replaceAll(work, programs, process.cwd());
      await replaceAll(work, programs, release.root);
      await replaceAll(work, programs.toReversed(), process.cwd());
      await work.end();
      const result = await work.result();
      process.stderr.write(
        `last release ${commit}: ${applied.length} migrations, ${result.confirmed} messages, ` +
          `${work.failures.length} failures, ${result.shownTwice} shown twice\n`,
      );
      expect(work.failures).toEqual([]);
      expect(result).toMatchObject({ lost: [], twice: [], shownTwice: 0 });
    } catch (error) {
      await work.end();
      throw new Error(await lastLogLinesOf(programs.map(({ program }) => program)), {
        cause: error,
      });
    }
  });
});
