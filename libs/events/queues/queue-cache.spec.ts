import { describe, expect, it } from '@jest/globals';
import type { QueueOptions } from '#events/declarations';
import { QueueCache } from './queue-cache.js';
import type { QueueNotices } from './queue-notices.js';
import type { EventQueue } from './queue.js';
import type { QueueRepository } from './queue.repository.js';

const USER = 5;

/** A queue with its own copy of the options; the cache reads no other option. */
const queueOf = (id: string, eventTypes: readonly string[]): EventQueue => ({
  id,
  realmId: 1,
  userId: USER,
  options: { eventTypes: [...eventTypes] } as unknown as QueueOptions,
  startPosition: 0,
  idleSeconds: 600,
});

describe(QueueCache.name, () => {
  const stored = queueOf('stored', ['message']);
  const sut = new QueueCache(
    {
      find: (id: string) =>
        Promise.resolve(id === stored.id ? { ...stored, remainingMs: 1000 } : null),
    } as unknown as QueueRepository,
    { onDeleted: () => undefined } as unknown as QueueNotices,
  );

  it('keeps equal options of queues once, with added and with stored queues', async () => {
    sut.add(queueOf('first', ['message']));
    sut.add(queueOf('second', ['message']));
    sut.add(queueOf('other', ['presence']));
    const options = sut.get('first', USER)?.queue.options;
    expect(options).toEqual({ eventTypes: ['message'] });
    expect(sut.get('second', USER)?.queue.options).toBe(options);
    expect((await sut.find('stored', USER))?.queue.options).toBe(options);
    expect(sut.get('other', USER)?.queue.options).toEqual({ eventTypes: ['presence'] });
  });

  it('returns a queue only to its account', async () => {
    sut.add(queueOf('first', ['message']));
    expect(sut.get('first', USER + 1)).toBeUndefined();
    expect(await sut.find('unknown', USER)).toBeNull();
  });
});
