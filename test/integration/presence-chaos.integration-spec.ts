import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { chaosSeed, isLongRun } from '../support/chaos-run.js';
import { eventually } from '../support/eventually.js';
import { PresenceCrowd } from '../support/presence-crowd.js';
import {
  type PresenceFaultName,
  presenceFault,
  type PresenceTargets,
} from '../support/presence-faults.js';
import { PresenceProcesses } from '../support/presence-processes.js';
import { PresenceRealm } from '../support/presence-realm.js';
import { PresenceTruth } from '../support/presence-truth.js';
import { differences, PresenceViewer } from '../support/presence-viewer.js';
import { Dice } from '../support/dice.js';
import { RedisPair } from '../support/redis-pair.js';
import { createTestDatabase, type TestDatabase } from '../support/test-stores.js';

jest.setTimeout(180_000);

const SEED = chaosSeed;
const PROCESSES = 8;
const USERS = 200;
const VIEWERS = 600;
const ROUNDS_PER_FAULT = 3;
const LEAST_TOLD_ENTRIES = isLongRun ? 1_000_000 : 400_000;
const CALM_DEADLINE_MS = 15_000;

/** Who looks only now and then does so after every so many faults. */
const SELDOM = 3;

const REPEATED: readonly PresenceFaultName[] = ['cut', 'flush', 'restart', 'promotion'];

describe('Presence in chaos', () => {
  const dice = new Dice(SEED);
  let stores: TestDatabase;
  let redis: RedisPair;
  let processes: PresenceProcesses;
  let crowd: PresenceCrowd;
  let targets: PresenceTargets;

  beforeAll(async () => {
    [stores, redis] = await Promise.all([createTestDatabase(), RedisPair.start()]);
    processes = await PresenceProcesses.start(PROCESSES, stores, redis.url, dice);
    const realm = await PresenceRealm.create(stores.database);
    const users = await realm.addUsers(USERS);
    crowd = new PresenceCrowd(realm, users, new PresenceTruth(realm), VIEWERS, dice);
    targets = { redis, processes, realmId: realm.id };
  });

  afterAll(async () => {
    await processes?.stop();
    await redis?.remove();
    await stores?.drop();
  });

  /** Lets everybody live on for some rounds in which one thing after another goes wrong. */
  async function endure(name: PresenceFaultName): Promise<void> {
    const fault = presenceFault(name, targets, dice);
    const steps = [fault.begin, fault.strike, fault.mend].map((step) => step?.bind(fault));
    for (let round = 0; round < ROUNDS_PER_FAULT; round += 1) {
      const stepAt = Math.floor(dice.between(0, crowd.moments));
      await crowd.liveOn(processes.runtimes, async (moment) => {
        processes.stallAtRandom();
        if (moment === stepAt) await steps[round]?.();
      });
    }
  }

  /** Whoever looks now has been told everything, and sees what somebody sees who begins anew. */
  async function expectNothingSkipped(viewers: readonly PresenceViewer[]): Promise<void> {
    processes.releaseAll();
    await crowd.settle();
    const newcomer = new PresenceViewer(crowd.anybody);
    for (const runtime of processes.runtimes) {
      newcomer.startAnew();
      await eventually(async () => {
        await crowd.look(newcomer, runtime);
        expect(crowd.truth.deniedBy(newcomer.picture)).toEqual([]);
      }, CALM_DEADLINE_MS);
    }
    for (const viewer of viewers) {
      await eventually(async () => {
        await crowd.look(viewer, dice.pick(processes.runtimes));
        expect(differences(viewer.picture, newcomer.picture)).toEqual([]);
      }, CALM_DEADLINE_MS);
    }
  }

  it(`skips nothing and takes no cursor back, with seed ${SEED}`, async () => {
    const names = [
      ...dice.shuffled([...REPEATED, 'clock' as const]),
      'ids ahead' as const,
      ...(isLongRun ? dice.shuffled(REPEATED) : []),
    ];
    for (const [index, name] of names.entries()) {
      await endure(name);
      const due = crowd.viewers.filter(
        (viewer, place) => crowd.isBusy(viewer) || place % SELDOM === index % SELDOM,
      );
      await expectNothingSkipped(due);
    }
    await expectNothingSkipped(crowd.viewers);
    expect(crowd.toldEntries).toBeGreaterThan(LEAST_TOLD_ENTRIES);
  });
});
