import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OnlineQuery, OnlineReading, PresenceViewer } from '#presence/rpc';
import { PresenceUnavailable } from '#presence/client';
import { OnlineBatches } from './online-batches.js';

const viewer = (userId: number, different: Partial<PresenceViewer> = {}): PresenceViewer => ({
  realmId: 1,
  userId,
  isGuest: false,
  ...different,
});

const reading: OnlineReading = { users: [], position: 50 };

let asked: OnlineQuery[];
let answer: () => Promise<OnlineReading>;
let pausesEnded: number[];
let sut: OnlineBatches;

beforeEach(() => {
  asked = [];
  pausesEnded = [];
  answer = () => Promise.resolve(reading);
  const readOnline = (query: OnlineQuery) => {
    asked.push(query);
    return answer();
  };
  sut = new OnlineBatches({ readOnline }, (realmId) => pausesEnded.push(realmId));
});

afterEach(() => {
  jest.useRealTimers();
});

describe(OnlineBatches.name, () => {
  it('asks once for all viewers of an organisation, from the lowest id', async () => {
    const readings = await Promise.all([
      sut.read(viewer(1), 30),
      sut.read(viewer(2), 20),
      sut.read(viewer(3), 40),
    ]);
    expect(readings).toEqual([reading, reading, reading]);
    expect(asked).toEqual([{ ...viewer(1), furtherViewers: [2, 3], aboveId: 20 }]);
  });

  it('asks again for a viewer who comes during a call, whose answer may be too old', async () => {
    let release: (value: OnlineReading) => void = () => undefined;
    answer = () => new Promise((resolve) => (release = resolve));
    const first = sut.read(viewer(1), 30);
    // After the turn in which the first call begins.
    await nextTurn();
    const second = sut.read(viewer(2), 30);
    answer = () => Promise.resolve({ ...reading, position: 60 });
    release(reading);
    expect(await first).toEqual(reading);
    expect(await second).toEqual({ ...reading, position: 60 });
    expect(asked.map(({ userId }) => userId)).toEqual([1, 2]);
  });

  it('asks for each guest and for each organisation', async () => {
    await Promise.all([
      sut.read(viewer(1, { isGuest: true }), 30),
      sut.read(viewer(2, { isGuest: true }), 30),
      sut.read(viewer(3), 30),
      sut.read(viewer(4, { realmId: 2 }), 30),
    ]);
    expect(asked).toHaveLength(4);
    expect(asked.flatMap(({ furtherViewers }) => furtherViewers)).toEqual([]);
  });

  it('gives up after a short time, and then does not ask for a second', async () => {
    jest.useFakeTimers();
    answer = () => new Promise(() => undefined);
    const first = sut.read(viewer(1), 30);
    await jest.advanceTimersByTimeAsync(110);
    expect(await first).toBeNull();
    expect(await sut.read(viewer(2), 30)).toBeNull();
    expect(asked).toHaveLength(1);
    answer = () => Promise.resolve(reading);
    await jest.advanceTimersByTimeAsync(900);
    expect(pausesEnded).toEqual([]);
    await jest.advanceTimersByTimeAsync(100);
    expect(pausesEnded).toEqual([1]);
    const later = sut.read(viewer(2), 30);
    await jest.advanceTimersByTimeAsync(1);
    expect(await later).toEqual(reading);
  });

  it('reads nothing while presence is unavailable', async () => {
    answer = () => Promise.reject(new PresenceUnavailable('No presence process can be reached'));
    expect(await sut.read(viewer(1), 30)).toBeNull();
  });
});
