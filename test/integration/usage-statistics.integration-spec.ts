import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '#database';
import { UserActivityRepository } from '#presence';
import { countStatements } from '../support/count-statements.js';
import { PresenceRealm } from '../support/presence-realm.js';
import { startPresence } from '../support/start-presence.js';
import { createTestDatabase, type TestDatabase } from '../support/test-stores.js';

const MINUTE = 60;
const DAY = 86_400;
const MIDNIGHT = 20_700 * DAY;

let stores: TestDatabase;
let realm: PresenceRealm;
let ann: number;

beforeAll(async () => {
  stores = await createTestDatabase();
});
afterAll(() => stores.drop());
beforeEach(async () => {
  realm = await PresenceRealm.create(stores.database);
  [ann = 0] = await realm.addUsers(1);
});

const dayOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);

/** What a single input says, within a day. */
const input = (userId: number, at: number) => {
  return { userId, day: dayOf(at), startedAt: at, endedAt: at + 15 * MINUTE };
};

/** When a user was active, by day, in minutes from a midnight. */
async function activityOf(userId: number): Promise<[string, number, number][]> {
  const rows = await stores.database.query<{ day: string; started: number; ended: number }>(
    'test-activity',
    `SELECT day::text, extract(epoch FROM lower(span))::int AS started,
            extract(epoch FROM upper(span))::int AS ended
     FROM user_activity, unnest(active) AS span WHERE user_id = $1 ORDER BY 2`,
    [userId],
  );
  const minutes = (at: number) => (at - MIDNIGHT) / MINUTE;
  return rows.map(({ day, started, ended }) => [day, minutes(started), minutes(ended)]);
}

describe('Usage statistics', () => {
  /** Has people report to some processes, in turn, and ends those at once: each writes what it was told. */
  async function report(
    processes: number,
    reports: readonly Parameters<PresenceRealm['request']>[1][],
  ): Promise<void> {
    const running = await Promise.all(
      Array.from({ length: processes }, () => startPresence(stores.database)),
    );
    for (const [index, different] of reports.entries()) {
      const request = realm.request(ann, { hasNewInput: true, ...different });
      await running[index % processes]?.service.report(request);
    }
    await Promise.all(running.map((runtime) => runtime.stop()));
  }

  it('count 15 minutes after each input, over midnight too', async () => {
    await report(1, [
      { reportedAt: MIDNIGHT - 20 * MINUTE },
      { reportedAt: MIDNIGHT - 5 * MINUTE },
      { reportedAt: MIDNIGHT + 11 * MINUTE },
    ]);
    expect(await activityOf(ann)).toEqual([
      [dayOf(MIDNIGHT - 1), -20, 0],
      [dayOf(MIDNIGHT), 0, 10],
      [dayOf(MIDNIGHT), 11, 26],
    ]);
  });

  it('are made of inputs, not of reports', async () => {
    await report(1, [{ reportedAt: MIDNIGHT, hasNewInput: false }]);
    expect(await activityOf(ann)).toEqual([]);
  });

  it('do not tell of who shares no presence', async () => {
    await report(1, [{ reportedAt: MIDNIGHT, isVisible: false }]);
    expect(await activityOf(ann)).toEqual([]);
  });

  it('do not count twice what two processes were told of', async () => {
    await report(
      2,
      [0, 0, 10, 9, 30, 20].map((minute) => ({ reportedAt: MIDNIGHT + minute * MINUTE })),
    );
    expect(await activityOf(ann)).toEqual([[dayOf(MIDNIGHT), 0, 45]]);
  });

  it('extend what an earlier process has written and what has not ended yet', async () => {
    await report(1, [{ reportedAt: MIDNIGHT }]);
    await report(1, [{ reportedAt: MIDNIGHT + 15 * MINUTE }]);
    await report(1, [{ reportedAt: MIDNIGHT + 31 * MINUTE }]);
    expect(await activityOf(ann)).toEqual([
      [dayOf(MIDNIGHT), 0, 30],
      [dayOf(MIDNIGHT), 31, 46],
    ]);
  });
});

describe(UserActivityRepository.name, () => {
  let other: Database;
  let sut: UserActivityRepository;

  beforeAll(() => {
    other = new Database({ url: stores.url, poolSize: 4 });
    sut = new UserActivityRepository(stores.database);
  });
  afterAll(() => other.onApplicationShutdown());

  it('takes what processes write of the same people at once, in any order', async () => {
    const people = [ann, ...(await realm.addUsers(20))];
    const both = [sut, new UserActivityRepository(other)];
    await Promise.all(
      Array.from({ length: 16 }, (_, index) => {
        const order = index % 2 === 0 ? people : people.toReversed();
        const at = MIDNIGHT + index * 10 * MINUTE;
        return both[index % 2]?.unite(order.map((userId) => input(userId, at)));
      }),
    );
    for (const userId of people) {
      expect(await activityOf(userId)).toEqual([[dayOf(MIDNIGHT), 0, 165]]);
    }
  });

  it('is not harmed by what comes again, or late', async () => {
    await sut.unite([input(ann, MIDNIGHT + 60 * MINUTE)]);
    await sut.unite([input(ann, MIDNIGHT)]);
    await sut.unite([5, 60, 0].map((minute) => input(ann, MIDNIGHT + minute * MINUTE)));
    expect(await activityOf(ann)).toEqual([
      [dayOf(MIDNIGHT), 0, 20],
      [dayOf(MIDNIGHT), 60, 75],
    ]);
  });

  it('sends one statement, however many people there are', async () => {
    const people = await realm.addUsers(30);
    const inputs = people.map((userId) => input(userId, MIDNIGHT));
    expect(await countStatements(() => sut.unite(inputs))).toBe(1);
  });

  it('leaves out users that are gone', async () => {
    await sut.unite([input(2_147_483_647, MIDNIGHT), input(ann, MIDNIGHT)]);
    expect(await activityOf(ann)).toEqual([[dayOf(MIDNIGHT), 0, 15]]);
  });

  it('forgets the oldest first, and no more at once than it is told to', async () => {
    // Older than what the others have left.
    const first = MIDNIGHT - 1000 * DAY;
    const days = [0, 1, 2, 3, 4].map((day) => first + day * DAY);
    await sut.unite(days.map((at) => input(ann, at)));
    const left = async () => (await activityOf(ann)).map(([day]) => day);
    const before = dayOf(first + 3 * DAY);
    expect(await sut.forgetBefore(before, 2)).toBe(2);
    expect(await left()).toEqual(days.slice(2).map(dayOf));
    const both = [sut, new UserActivityRepository(other)];
    const removed = await Promise.all(both.map((one) => one.forgetBefore(before, 100)));
    expect(removed.toSorted()).toEqual([0, 1]);
    expect(await left()).toEqual(days.slice(3).map(dayOf));
  });
});
