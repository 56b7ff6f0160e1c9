import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RateLimits } from '#platform/rate-limits';
import type { EventType } from '#events/declarations';
import { type EventQueue, noProgress, type QueuesService, startIdAt } from '#events/queues';
import { type EventRepository, type LoggedEvent, SIGNED_OUT } from '#events/log';
import type { EventFollower } from './event-follower.js';
import { EventWindow } from './event-window.js';
import { loggedEvent } from './logged-event.fixture.js';
import type { PollMetrics } from './poll-metrics.js';
import { QueueEvents } from './queue-events.js';
import { WindowedEvent } from './windowed-event.js';

const USER = 5;
const KEY = 3;

const signOut = (position: number, body: LoggedEvent['body']): LoggedEvent =>
  loggedEvent(position, { type: SIGNED_OUT, body, userIds: [USER] });

const thing = (position: number): LoggedEvent => loggedEvent(position, { userIds: [USER] });

const queue = {
  id: 'mine',
  realmId: 1,
  userId: USER,
  startPosition: 0,
  idleSeconds: 600,
  options: { eventTypes: null },
} as unknown as EventQueue;

/** An event of the type `unwanted` is for no queue. */
const types = new Map<string, EventType>([['unwanted', { type: 'unwanted', isFor: () => false }]]);

/** A charge to the polls of the account. */
const CHARGE = `charge event-queue account ${USER}`;

let log: LoggedEvent[];
let calls: string[];
/** The limits of the pages that were read. */
let limits: number[];
let countEvents: () => Promise<number>;
/** Events up to this position are no longer stored. */
let deletedUpTo: number;
/** The readings of the log that have begun, and have not ended. */
let readings: (() => void)[];
let areReadingsHeld: boolean;

beforeEach(() => {
  deletedUpTo = 0;
  countEvents = () => Promise.resolve(0);
  log = [];
  calls = [];
  limits = [];
  readings = [];
  areReadingsHeld = false;
});

/** Reads a page of the log, as the repository does. */
const afterForUser: EventRepository['afterForUser'] = async (_realmId, _userId, page) => {
  if (areReadingsHeld) await new Promise<void>((end) => readings.push(end));
  const { after, upTo, limit, maxBytes } = page;
  limits.push(limit);
  const isInPage = ({ position }: LoggedEvent) => position > after && position <= upTo;
  let before = 0;
  const sized = log.filter(isInPage).map((event) => {
    const bytes = JSON.stringify(event.body).length;
    before += bytes;
    return { ...event, bytes, before: before - bytes };
  });
  return sized.slice(0, limit).filter(({ before: sum }) => sum < maxBytes);
};

/** Finds events after `start`, of which the window has those after `base`. */
function find(base: number, head: number) {
  const window = new EventWindow({ position: base, storedAt: null }, types);
  window.add(log.filter(({ position }) => position > base));
  const known =
    head > window.headPosition
      ? new EventWindow({ position: head, storedAt: null }, types)
      : window;
  const sut = new QueueEvents(
    {
      windowOf: () => Promise.resolve(known),
      knownWindowOf: () => known,
    } as unknown as EventFollower,
    {
      afterForUser,
      isStored: (_realmId: number, position: number) => Promise.resolve(position > deletedUpTo),
      countForUser: () => {
        calls.push('count');
        return countEvents();
      },
    } as unknown as EventRepository,
    {
      remove: (_owner: unknown, id: string) => calls.push(`remove ${id}`),
    } as unknown as QueuesService,
    { readFromLog: () => undefined, overflowed: () => undefined } as unknown as PollMetrics,
    {
      charge: (rule: string, key: string) => calls.push(`charge ${rule} ${key}`),
    } as unknown as RateLimits,
    { poolSize: 10 },
  );
  const owner = { userId: USER, isGuest: false, keyGeneration: KEY };
  return {
    sut,
    reader: { queue, progress: noProgress(), lastId: -1, owner, isImmediate: false },
    window,
  };
}

describe(QueueEvents, () => {
  it.each([
    ['the window', 0],
    ['the log', 2],
  ])('rejects with the error of a sign-in that an event in %s ends', async (_place, base) => {
    log = [thing(1), signOut(2, { reason: 'key', keyGeneration: KEY })];
    const { sut, reader } = find(base, 2);
    await expect(sut.after(reader)).rejects.toMatchObject({ message: 'Invalid API key' });
  });

  it('finds the events after a sign-out of an earlier key', async () => {
    log = [signOut(1, { reason: 'key', keyGeneration: KEY - 1 }), thing(2)];
    const { sut, reader } = find(0, 2);
    expect((await sut.after(reader)).events).toHaveLength(1);
    expect(calls).toEqual([]);
  });

  it('reads the log for one poll of an account at a time, so that others find free connections', async () => {
    log = [thing(1), thing(2)];
    areReadingsHeld = true;
    const { sut, reader } = find(2, 2);
    const found = [1, 2, 3].map(() => sut.after(reader));
    const other = sut.after({ ...reader, owner: { ...reader.owner, userId: USER + 1 } });
    await nextTurn();
    expect(readings).toHaveLength(2);
    areReadingsHeld = false;
    for (const end of readings) end();
    expect((await Promise.all(found)).map(({ events }) => events.length)).toEqual([2, 2, 2]);
    await other;
  });

  it('charges a look into the log to the queues of the account, not to its requests', async () => {
    log = [thing(1)];
    const { sut, reader } = find(1, 1);
    expect((await sut.after(reader)).events).toHaveLength(1);
    expect(calls).toEqual([CHARGE]);
  });

  it('finds the events for a queue in the log after a page without any', async () => {
    const unwanted = (position: number) => ({ ...thing(position), type: 'unwanted' });
    log = Array.from({ length: 700 }, (_, index) =>
      index < 600 ? unwanted(index + 1) : thing(index + 1),
    );
    const { sut, reader } = find(700, 700);
    const { events } = await sut.after(reader);
    expect(events.map(({ position }) => position)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 601),
    );
  });

  it.each([
    ['misses an event that is no longer stored is deleted', 4, [CHARGE, 'remove mine']],
    ['has all events that are no longer stored is kept', 3, [CHARGE]],
  ])('a queue that %s', async (_, upTo, expected) => {
    log = [thing(4), thing(5)];
    deletedUpTo = upTo;
    const { sut, reader } = find(5, 5);
    await sut.after({ ...reader, lastId: startIdAt(3) }).catch(() => undefined);
    expect(calls).toEqual(expected);
  });

  it('reads no more of the log than fits into an answer', async () => {
    const large = { text: 'x'.repeat(100_000) };
    log = Array.from({ length: 400 }, (_, index) => ({ ...thing(index + 1), body: large }));
    const { sut, reader } = find(400, 400);
    const { events, position, isPartial } = await sut.after(reader);
    expect(events.map((event) => event.position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(position).toBe(11);
    expect(isPartial).toBe(true);
  });

  it.each([
    ['events', 2000, 10, 1001],
    ['bytes', 60, 100_000, 11],
  ])('makes the JSON of no more %s of the window than an answer has', (_, count, size, enough) => {
    let made = 0;
    const formsOf = (body: object) => {
      made += 1;
      return [body];
    };
    types.set('counted', { type: 'counted', formsOf });
    const body = { text: 'x'.repeat(size) };
    log = Array.from({ length: count }, (_event, index) => {
      return { ...thing(index + 1), type: 'counted', body };
    });
    const { sut, reader } = find(0, count);
    const options = { ...queue.options, capabilities: [] };
    const counting = { ...reader, queue: { ...queue, options } };
    expect(sut.inWindow(counting)).toMatchObject({ isPartial: true });
    expect(sut.inWindow(counting)?.events).toHaveLength(enough);
    expect(made).toBe(enough);
    log.push(signOut(count + 1, { reason: 'key', keyGeneration: KEY }));
    const { sut: signedOut } = find(0, count + 1);
    expect(() => signedOut.inWindow(counting)).toThrow('Invalid API key');
  });

  it('goes on in the log after large events that are for other queues', async () => {
    const unwanted = { type: 'unwanted', body: { text: 'x'.repeat(100_000) } };
    log = Array.from({ length: 50 }, (_, index) => ({
      ...thing(index + 1),
      ...(index < 40 && unwanted),
    }));
    const { sut, reader } = find(50, 50);
    const { events, position, isPartial } = await sut.after(reader);
    // 1 MiB has eleven of them.
    expect(limits.slice(0, 3)).toEqual([500, 22, 22]);
    expect(isPartial).toBe(false);
    expect(events.map((event) => event.position)).toEqual([41, 42, 43, 44, 45, 46, 47, 48, 49, 50]);
    expect(position).toBe(50);
  });

  it.each([
    ['is remembered', {}, []],
    ['is repeated for an older id', { lastId: -2 }, [CHARGE]],
    [
      'is repeated for another key, which one of the events may have replaced',
      { owner: { userId: USER, isGuest: false, keyGeneration: KEY + 1 } },
      [CHARGE],
    ],
  ])('finds no events for a queue in the log, which %s', async (_, different, expected) => {
    const { sut, reader } = find(5, 5);
    expect(await sut.after(reader)).toMatchObject({ events: [], position: 5 });
    calls = [];
    await sut.after({ ...reader, ...different });
    expect(calls).toEqual(expected);
  });

  it('finds the events after those of which none was for the queue', async () => {
    const { sut, reader, window } = find(5, 5);
    await sut.after(reader);
    window.add([thing(6)]);
    expect((await sut.after(reader)).events).toMatchObject([{ position: 6 }]);
  });

  it.each([
    [60_000, [CHARGE, 'count']],
    [600_000, [CHARGE, 'remove mine']],
  ])(
    'counts the undelivered events of a queue that is %d events behind only if these are few',
    async (behind, expected) => {
      const { sut, reader } = find(0, behind);
      await sut.after(reader).catch(() => undefined);
      expect(calls).toEqual(expected);
    },
  );
});

describe('A queue whose events cannot be counted', () => {
  it.each([
    ['after the time limit of statements', '57014'],
    ['while PostgreSQL shuts down', '57P01'],
  ])('is kept %s', async (_, code) => {
    countEvents = () => Promise.reject(Object.assign(new Error('Not counted'), { code }));
    const { sut, reader } = find(0, 60_000);
    await expect(sut.after(reader)).rejects.toMatchObject({ code });
    expect(calls).not.toContain('remove mine');
  });
});

describe(WindowedEvent, () => {
  it('keeps the texts of few forms', () => {
    let made = 0;
    const formsOf = () => {
      made += 1;
      return [{}];
    };
    const event = new WindowedEvent(thing(1), { type: 'thing', formsOf });
    const optionsOf = (count: number) =>
      ({
        ...queue.options,
        capabilities: [`capability ${count}`],
      }) as unknown as EventQueue['options'];
    for (let count = 0; count < 100; count += 1) event.formsFor(optionsOf(count));
    const before = made;
    event.formsFor(optionsOf(99));
    expect(made).toBe(before);
    event.formsFor(optionsOf(0));
    expect(made).toBe(before + 1);
  });
});
