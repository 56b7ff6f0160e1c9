import { beforeEach, describe, expect, it } from '@jest/globals';
import type { BlockingConnection, RedisCommands } from '#platform/redis';
import type { PresenceChange } from '#presence/rules';
import { keysOf } from './presence-keys.js';
import { type RealmFollower, StreamReader } from './change-follower.js';

/** User 5, idle and active at 1000, in the epoch 9, after the id 40. */
const PACKED = Buffer.from('00000005000000090000000000002800000003e8', 'hex');

const entry = (realmId: number, id: number): unknown => [
  Buffer.from(keysOf(realmId).stream),
  [[Buffer.from(`${id}-0`), [Buffer.from('c'), PACKED]]],
];

/** Fakes of the used commands of a client, whose type has every command of Redis. */
const clientThat = (xreadBuffer: (...args: unknown[]) => Promise<unknown>) =>
  ({ xreadBuffer }) as unknown as RedisCommands;

const connectionTo = (client: unknown): BlockingConnection => ({
  run: (work) => work(client as never),
  close: () => Promise.resolve(),
});

describe(StreamReader.name, () => {
  let followed: [realmId: number, id: number][];
  let realms: RealmFollower[];

  beforeEach(() => {
    followed = [];
    realms = [1, 17].map((realmId) => ({
      realmId,
      position: 40 + realmId,
      follow: (change: PresenceChange) => followed.push([realmId, change.entry.id]),
    }));
  });

  const noCommands = clientThat(() => Promise.reject(new Error('Not to be asked')));

  it('reads all streams at once, each from the position of its realm', async () => {
    let asked: unknown[] = [];
    const client = clientThat((...args) => {
      asked = args;
      return Promise.resolve([entry(17, 60)]);
    });
    const sut = new StreamReader(connectionTo(client), noCommands);
    expect(await sut.read(realms, 200)).toBe('changes');
    expect(asked.slice(-4)).toEqual([keysOf(1).stream, keysOf(17).stream, '41-0', '57-0']);
    expect(followed).toEqual([[17, 60]]);
  });

  it('reports when it waited without changes', async () => {
    const sut = new StreamReader(connectionTo(clientThat(() => Promise.resolve(null))), noCommands);
    expect(await sut.read(realms, 200)).toBe('waited');
  });

  it.each(['TRYAGAIN Multiple keys request during rehashing of slot', 'ASK 866 127.0.0.1:7001'])(
    'reads each stream alone, without waiting, after %s',
    async (message) => {
      const commands = clientThat((...args) => {
        expect(args).not.toContain('BLOCK');
        return Promise.resolve(args.includes(keysOf(1).stream) ? [entry(1, 50)] : null);
      });
      const moving = clientThat(() => Promise.reject(new Error(message)));
      const sut = new StreamReader(connectionTo(moving), commands);
      expect(await sut.read(realms, 200)).toBe('moving');
      expect(followed).toEqual([[1, 50]]);
    },
  );

  it('rejects if the slot has moved, so that its new owner is found', async () => {
    const moved = clientThat(() => Promise.reject(new Error('MOVED 866 127.0.0.1:7001')));
    const sut = new StreamReader(connectionTo(moved), noCommands);
    await expect(sut.read(realms, 200)).rejects.toThrow('MOVED');
  });
});
