import { beforeEach, describe, expect, it } from '@jest/globals';
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
  const notices = { onDeleted: () => undefined, completeSince: Number.NEGATIVE_INFINITY };
  const sut = new QueueCache(
    {
      find: (id: string) =>
        Promise.resolve(id === stored.id ? { ...stored, remainingMs: 1000 } : null),
      extend: (id: string) => Promise.resolve(id === stored.id),
    } as unknown as QueueRepository,
    notices as unknown as QueueNotices,
  );

  beforeEach(() => {
    notices.completeSince = Number.NEGATIVE_INFINITY;
  });

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
    expect(sut.get('first', USER + 1)).toBeNull();
    expect(await sut.find('unknown', USER)).toBeNull();
  });

  it('looks queues up again after notices of deletions may have been lost', async () => {
    sut.add(queueOf('deleted', ['message']));
    await sut.find('stored', USER);
    notices.completeSince = performance.now();
    expect(sut.get('deleted', USER)).toBeNull();
    expect(await sut.find('deleted', USER)).toBeNull();
    expect(await sut.find('stored', USER)).not.toBeNull();
    expect(sut.get('stored', USER)).not.toBeNull();
  });

  it('keeps what it knows of the answers of a queue that it looks up again', async () => {
    const known = await sut.find('stored', USER);
    notices.completeSince = performance.now();
    const again = await sut.find('stored', USER);
    expect(again).not.toBe(known);
    expect(again?.progress).toBe(known?.progress);
  });

  it('forgets a queue that turns out to be deleted when its lifetime is stored', async () => {
    sut.add(queueOf('deleted', ['message']));
    const cached = sut.get('deleted', USER);
    expect(cached && (await sut.extend(cached))).toBe(false);
    expect(sut.get('deleted', USER)).toBeNull();
  });

  it('shares no more options than fit into its memory', () => {
    sut.add(queueOf('first', ['message']));
    for (let count = 0; count < 3000; count += 1) {
      sut.add(queueOf(`large ${count}`, [`${count} ${'x'.repeat(1000)}`]));
    }
    sut.add(queueOf('second', ['message']));
    const [first, second] = ['first', 'second'].map((id) => sut.get(id, USER)?.queue.options);
    expect(second).toEqual(first);
    expect(second).not.toBe(first);
  });
});
