import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '#platform/contracts';
import type { RateLimits } from '#platform/rate-limits';
import type { BegunPoll, CachedQueue, QueuesService } from '#events/queues';
import type { QueueEvents } from './queue-events.js';
import { QueuePolls } from './queue-polls.js';

const USER = 5;
const ANSWERED = 20;
// A poll reads no other members of its caller and its queue.
const caller = { userId: USER, realm: { id: 1 } } as Caller;
const cached = { queue: { userId: USER }, progress: { answeredId: ANSWERED } } as CachedQueue;

let charged: string[];
let sizes: number[];
let sut: QueuePolls;

beforeEach(() => {
  charged = [];
  sizes = [];
  // The fakes have the methods that are called.
  sut = new QueuePolls(
    {
      begin: (
        _caller: Caller,
        _id: string,
        _last: number,
        check: (queue: CachedQueue) => unknown,
      ) => check(cached),
      known: () => cached,
      continue: () => null,
      beginKnown: () => null,
    } as unknown as QueuesService,
    { isKnownId: () => true, checkId: () => undefined } as unknown as QueueEvents,
    {
      charge: (_entity: string, key: string, options?: { readonly calls: number }) => {
        charged.push(key);
        if (options !== undefined) sizes.push(options.calls);
      },
      chargeDeferred: (_entity: string, key: string) => charged.push(key),
    } as unknown as RateLimits,
    (role) => role === 600,
  );
});

describe(QueuePolls.name, () => {
  it.each([
    ['waits', { lastEventId: ANSWERED, isImmediate: false }, 'a queue'],
    ['has an id that another gateway answered', { lastEventId: 21, isImmediate: false }, 'a queue'],
    ['asks again for answered events', { lastEventId: 19, isImmediate: false }, `account ${USER}`],
    ['does not wait', { lastEventId: ANSWERED, isImmediate: true }, `account ${USER}`],
  ])('charges a poll that %s', async (_, different, key) => {
    const poll = { queueId: 'a queue', ...different };
    await sut.begin(caller, poll);
    await sut.beginKnown(caller, poll);
    expect(charged).toEqual([key, key]);
  });

  it('charges each 256 kB of an answer to the account, and ordinary answers not at all', async () => {
    const begun = cached as unknown as BegunPoll;
    for (const bytes of [0, 262_143, 262_144, 1_048_576]) await sut.chargeSize(begun, bytes);
    expect(charged).toEqual([`account ${USER}`, `account ${USER}`]);
    expect(sizes).toEqual([1, 4]);
  });
});
