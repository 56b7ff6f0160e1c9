import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Database, type Session, type Transaction } from '#platform/database';
import { chaosSeed } from '#test/chaos-run';
import { untilLockWaits } from '#test/lock-waits';
import { SeededRandom } from '#test/seeded-random';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import type { EventHead } from './event.js';
import { EventRepository, NO_EVENTS } from './event.repository.js';
import { EventLog } from './event-log.js';

const WRITERS = 30;
const CHANGES = 10;
const SNAPSHOTS = 20;
const MAX_DELAY_MS = 15;
/** Small, so that a reader reads most pages while writers commit. */
const PAGE = 7;

const random = new SeededRandom(chaosSeed);

let stores: TestDatabase;
/** With a connection for each writer and reader. */
let database: Database;
let events: EventRepository;
let sut: EventLog;
let realmId: number;

beforeAll(async () => {
  stores = await createTestDatabase();
  await stores.database.prisma.$executeRawUnsafe('CREATE TABLE things (realm int, number int)');
  database = new Database({ url: stores.url, poolSize: WRITERS + 5 });
  events = new EventRepository(database);
  sut = new EventLog(events);
});

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

beforeEach(async () => {
  const name = `realm${random.next()}`;
  ({ id: realmId } = await database.prisma.realm.create({ data: { subdomain: name, name } }));
});

/** A promise that the test resolves. */
function latch(): { readonly opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

const somewhat = () => delay(random.between(0, MAX_DELAY_MS));

/** Adds a thing and its event; with delays before and while the row of the head is locked. */
async function change(transaction: Transaction, number: number): Promise<void> {
  await transaction.query('add_thing', 'INSERT INTO things VALUES ($1, $2)', [realmId, number]);
  const audience = { userIds: [1] };
  sut.append(transaction, { realmId, type: 'thing', body: { number }, audience });
  transaction.beforeCommit(somewhat);
  await somewhat();
}

async function write(writer: number): Promise<void> {
  for (let turn = 0; turn < CHANGES; turn += 1) {
    await somewhat();
    await database.transaction((transaction) => change(transaction, writer * CHANGES + turn));
  }
}

const thingsIn = async (session: Session): Promise<number[]> => {
  const text = 'SELECT number FROM things WHERE realm = $1';
  const rows = await session.query<{ number: number }>('things', text, [realmId]);
  return rows.map(({ number }) => number);
};

/** A state and its position, as a registration reads them. */
const readSnapshot = async (snapshot: Session) => ({
  head: await events.head(realmId, snapshot),
  state: await thingsIn(snapshot),
});

const numbersAfter = async (head: EventHead): Promise<number[]> =>
  (await events.after(realmId, head, 1000)).map(({ body }) => Number(body['number']));

const ascending = (numbers: readonly number[]) => numbers.toSorted((left, right) => left - right);

describe(`${EventLog.name} (--seed=${chaosSeed})`, () => {
  it('gives concurrent transactions positions in the order of their commits, so that a reader misses none', async () => {
    let areWriting = true;
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    const written = writing.then(() => (areWriting = false));
    const read: (EventHead & { number: unknown })[] = [];
    let isMore = true;
    while (isMore) {
      const wereWriting = areWriting;
      const page = await events.after(realmId, read.at(-1) ?? NO_EVENTS, PAGE);
      read.push(
        ...page.map(({ position, storedAt, body }) => ({
          position,
          storedAt,
          number: body['number'],
        })),
      );
      isMore = wereWriting || page.length > 0;
    }
    await written;
    const all = Array.from({ length: WRITERS * CHANGES }, (_, index) => index);
    expect(read.map(({ position }) => position)).toEqual(all.map((index) => index + 1));
    expect(ascending(read.map(({ number }) => Number(number)))).toEqual(all);
  });

  it('stores each event either in the snapshot of a registration or after its position', async () => {
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    const taken = [];
    for (let count = 0; count < SNAPSHOTS; count += 1) {
      taken.push(await database.snapshot(readSnapshot));
      await somewhat();
    }
    await writing;
    const all = Array.from({ length: WRITERS * CHANGES }, (_, index) => index);
    for (const { state, head } of taken) {
      expect(state.length).toBe(head.position);
      expect(ascending([...state, ...(await numbersAfter(head))])).toEqual(all);
    }
    expect(taken.some(({ head: { position } }) => position > 0 && position < all.length)).toBe(
      true,
    );
  });

  it('leaves no gap after a transaction that is rolled back', async () => {
    await database.transaction((transaction) => change(transaction, 1));
    const refused = database.transaction(async (transaction) => {
      await change(transaction, 2);
      transaction.beforeCommit(() => Promise.reject(new Error('too late')));
    });
    await expect(refused).rejects.toThrow('too late');
    await database.transaction((transaction) => change(transaction, 3));
    expect((await events.after(realmId, NO_EVENTS, 10)).map(({ position }) => position)).toEqual([
      1, 2,
    ]);
    expect(await numbersAfter(NO_EVENTS)).toEqual([1, 3]);
  });

  it('stores large events of one transaction in their order, in several statements', async () => {
    const userIds = Array.from({ length: 20_000 }, (_, index) => index + 1);
    const numbers = Array.from({ length: 7 }, (_, index) => index);
    await database.transaction(async (transaction) => {
      const statement = jest.spyOn(transaction, 'query');
      for (const number of numbers) {
        sut.append(transaction, {
          realmId,
          type: 'thing',
          body: { number },
          audience: { userIds },
        });
      }
      transaction.beforeCommit(async () => expect(statement).toHaveBeenCalledTimes(4));
    });
    const stored = await events.after(realmId, NO_EVENTS, 10);
    expect(stored.map(({ position, body }) => [position, body['number']])).toEqual(
      numbers.map((number) => [number + 1, number]),
    );
    expect(stored.every((event) => event.userIds?.length === userIds.length)).toBe(true);
  });

  describe('for one account', () => {
    const [USER, LISTENER] = [2, 3];
    const recipients = { userIds: [1, USER], exceptIds: [1, USER] };
    const range = { after: 0, upTo: 100, limit: 100, types: null, maxBytes: 1000 };
    const message = {
      type: 'message',
      isPublic: true,
      audience: { userIds: [1, USER] },
      flags: [
        { flags: ['mentioned'], userIds: [1, USER] },
        { flags: ['read'], userIds: [1] },
      ],
    };

    beforeEach(async () => {
      await database.transaction((transaction) => {
        sut.append(transaction, { realmId, body: {}, ...message });
        const audience = { everyone: 'all', ...recipients } as const;
        sut.append(transaction, { realmId, type: 'thing', body: {}, audience });
        return Promise.resolve();
      });
    });

    it('reads none of the other accounts of an event', async () => {
      const own = { userIds: [USER], exceptIds: [] };
      const flags = [{ flags: ['mentioned'], userIds: [USER] }];
      expect(
        await events.afterForUser(realmId, { userId: USER, isPublicListener: false }, range),
      ).toEqual([
        expect.objectContaining({ type: 'message', ...own, flags }),
        expect.objectContaining({ type: 'thing', ...own, exceptIds: [USER], flags: null }),
      ]);
    });

    it('reads the events whose predecessors have fewer bytes than the limit, and at least one', async () => {
      const reader = { userId: USER, isPublicListener: false };
      const countWithin = async (maxBytes: number) =>
        (await events.afterForUser(realmId, reader, { ...range, maxBytes })).length;
      // The body of each is `{}`.
      expect([await countWithin(1), await countWithin(2), await countWithin(3)]).toEqual([1, 1, 2]);
    });

    it.each([
      ['only for a listener to public channels', true, ['message', 'thing']],
      ['not for another account', false, ['thing']],
    ])('reads and counts a message to others %s', async (_, isPublicListener, types) => {
      const reader = { userId: LISTENER, isPublicListener };
      const found = await events.afterForUser(realmId, reader, range);
      expect(found.map(({ type }) => type)).toEqual(types);
      expect(found.map(({ userIds }) => userIds)).toEqual(types.map(() => []));
      expect(await events.countForUser(realmId, reader, range)).toBe(types.length);
    });
  });

  describe('after the loss of the newest events', () => {
    const store = (number: number) =>
      database.transaction((transaction) => change(transaction, number));

    /** As the failover to a standby without the last commits. */
    async function lose(position: number): Promise<void> {
      const values = [realmId, position];
      const text = 'DELETE FROM events WHERE realm_id = $1 AND position > $2';
      await database.query('lose_events', text, values);
      const goBack = 'UPDATE event_heads SET position = $2 WHERE realm_id = $1';
      await database.query('go_back', goBack, values);
    }

    const isRestored = async (known: EventHead) =>
      (await events.compare(new Map([[realmId, known]]))).get(realmId)?.isRestored;

    it('shows that the newest known event is missing', async () => {
      expect(await isRestored(NO_EVENTS)).toBe(false);
      await store(1);
      const kept = await events.head(realmId);
      await store(2);
      const lost = await events.head(realmId);
      expect(await isRestored(lost)).toBe(false);
      await lose(1);
      expect(await isRestored(lost)).toBe(true);
      expect(await isRestored(kept)).toBe(false);
    });

    it('shows that another event is in its place, and finds none after it', async () => {
      await store(1);
      await store(2);
      const lost = await events.head(realmId);
      await lose(1);
      await store(3);
      await store(4);
      expect(await isRestored(lost)).toBe(true);
      expect(await isRestored({ ...lost, storedAt: null })).toBe(false);
      expect(await numbersAfter(lost)).toEqual([]);
      const range = { ...lost, upTo: 2 };
      expect(await events.hasEventsOf(database, realmId, ['other'], range)).toBe(true);
      const head = await events.head(realmId);
      expect(await isRestored(head)).toBe(false);
      expect(await events.hasEventsOf(database, realmId, ['other'], { ...head, upTo: 9 })).toBe(
        false,
      );
      await store(5);
      expect(await numbersAfter(head)).toEqual([5]);
    });

    it('does not show that an old event is no longer stored', async () => {
      await store(1);
      const old = await events.head(realmId);
      await events.deleteOld(-60, 100_000);
      expect(await isRestored(old)).toBe(false);
      expect(await events.head(realmId)).toEqual({ position: 1, storedAt: null });
      await store(2);
      expect(await isRestored(old)).toBe(false);
      expect(await numbersAfter(old)).toEqual([2]);
    });
  });

  it('lets a transaction that hangs before its commit block others for at most ten seconds', async () => {
    const [hangs, isWaitedFor, goesOn] = [latch(), latch(), latch()];
    const hanging = database.transaction(async (transaction) => {
      await change(transaction, 1);
      transaction.beforeCommit(async () => {
        const limit = 'idle_in_transaction_session_timeout';
        expect(await transaction.query('limit', `SHOW ${limit}`)).toEqual([{ [limit]: '10s' }]);
        hangs.open();
        await isWaitedFor.opened;
        await transaction.query('shorter_limit', `SET LOCAL ${limit} = 100`);
        await goesOn.opened;
      });
    });
    hanging.catch(() => undefined);
    await hangs.opened;
    const waiting = database.transaction((transaction) => change(transaction, 2));
    await untilLockWaits(stores.database);
    isWaitedFor.open();
    await waiting;
    goesOn.open();
    await expect(hanging).rejects.toThrow(/connection/i);
    expect(await numbersAfter(NO_EVENTS)).toEqual([2]);
  });
});
