import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { chaosSeed, isLongRun } from '#test/chaos-run';
import { eventually } from '#test/eventually';
import { PresenceCrowd } from '#test/presence-crowd';
import { type PresenceFaultName, presenceFault, type PresenceTargets } from '#test/presence-faults';
import { PresenceProcesses } from '#test/presence-processes';
import { PresenceRealm } from '#test/presence-realm';
import { ExpectedPresence } from '#test/presence-expected-state';
import { differences, PresenceViewer } from '#test/presence-viewer';
import { SeededRandom } from '#test/seeded-random';
import { RedisPair } from '#test/redis-pair';
import { useDatabase, useFixture } from '#test/use-fixture';

jest.setTimeout(180_000);

const SEED = chaosSeed;
const PROCESSES = 8;
const USERS = 200;
const VIEWERS = 600;
const ROUNDS_PER_FAULT = 3;
const MIN_RECEIVED_ENTRIES = isLongRun ? 1_000_000 : 400_000;

/** A viewer who polls rarely does so after this many faults. */
const SELDOM = 3;

const REPEATED: readonly PresenceFaultName[] = ['cut', 'flush', 'restart', 'promotion'];

describe('Presence under random faults', () => {
  const random = new SeededRandom(SEED);
  const stores = useDatabase();
  const redis = useFixture(() => RedisPair.start());
  const processes = useFixture(() => PresenceProcesses.start(PROCESSES, stores, redis.url, random));
  let crowd: PresenceCrowd;
  let targets: PresenceTargets;

  beforeAll(async () => {
    const realm = await PresenceRealm.create(stores.database);
    const users = await realm.addUsers(USERS);
    crowd = new PresenceCrowd(realm, users, new ExpectedPresence(realm), VIEWERS, random);
    targets = { redis, processes, realmId: realm.id };
  });

  /** Runs the crowd for some rounds, with one fault after another. */
  async function endure(name: PresenceFaultName): Promise<void> {
    const fault = presenceFault(name, targets, random);
    const steps = [fault.prepare, fault.apply, fault.repair].map((step) => step?.bind(fault));
    for (let round = 0; round < ROUNDS_PER_FAULT; round += 1) {
      const stepAt = Math.floor(random.between(0, crowd.moments));
      await crowd.liveOn(processes.runtimes, async (moment) => {
        processes.stallAtRandom();
        if (moment === stepAt) await steps[round]?.();
      });
    }
  }

  /** Checks that each viewer has the complete state, as a new client sees it. */
  async function expectNothingSkipped(viewers: readonly PresenceViewer[]): Promise<void> {
    processes.releaseAll();
    await crowd.settle();
    const newcomer = new PresenceViewer(crowd.anybody);
    for (const runtime of processes.runtimes) {
      newcomer.reset();
      await eventually(async () => {
        await crowd.look(newcomer, runtime);
        expect(crowd.expected.differencesFrom(newcomer.state)).toEqual([]);
      });
    }
    for (const viewer of viewers) {
      await eventually(async () => {
        await crowd.look(viewer, random.pick(processes.runtimes));
        expect(differences(viewer.state, newcomer.state)).toEqual([]);
      });
    }
  }

  it(`skips nothing and moves no cursor back, with seed ${SEED}`, async () => {
    const names = [
      ...random.shuffled([...REPEATED, 'clock' as const]),
      'ids ahead' as const,
      ...(isLongRun ? random.shuffled(REPEATED) : []),
    ];
    for (const [index, name] of names.entries()) {
      await endure(name);
      const due = crowd.viewers.filter(
        (viewer, place) => crowd.isBusy(viewer) || place % SELDOM === index % SELDOM,
      );
      await expectNothingSkipped(due);
    }
    await expectNothingSkipped(crowd.viewers);
    expect(crowd.receivedEntries).toBeGreaterThan(MIN_RECEIVED_ENTRIES);
  });
});
