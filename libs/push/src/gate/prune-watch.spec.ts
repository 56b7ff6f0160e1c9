import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { refusal } from '#push-transport';
import { outcomeOf } from '../deliver/outcome-policy.rules.js';
import { Gates } from './gates.js';
import { ObservedGates } from './observed-gates.js';
import { PruneWatch } from './prune-watch.js';
import { type AppWatch, heardOfToken, nothingHeard } from './prune-watch.rules.js';

const APP = 'org.example.chat';
const MINUTE_MS = 60_000;

const deadBy = (status: number, reason: string) => {
  const outcome = outcomeOf('apns', refusal({ status, reason }));
  if (outcome.kind !== 'dead_token') throw new Error(`${reason} kills no token`);
  return outcome;
};
const wrongTopic = deadBy(400, 'DeviceTokenNotForTopic');
const unregistered = deadBy(410, 'Unregistered');

let now: number;
let sut: PruneWatch;
let alarmLog: jest.Mock;
/** Each answer is about another account, unless a test says which. */
let accounts: number;

beforeEach(() => {
  now = 1_000_000;
  accounts = 0;
  sut = new PruneWatch(() => now);
  alarmLog = jest.fn();
  jest.spyOn(Logger.prototype, 'error').mockImplementation(alarmLog);
  jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const deviceOf = (appId: string | null, userId = (accounts += 1)) =>
  ({ userId, platform: 'apns', appId }) as const;

/** How many of so many tokens called dead may be removed. */
function removable(count: number, outcome = wrongTopic, appId: string | null = APP): number {
  const answers = Array.from({ length: count }, () => sut.mayPrune(deviceOf(appId), outcome));
  return answers.filter(Boolean).length;
}

function hear(count: number): void {
  for (let heard = 0; heard < count; heard += 1) sut.heard(deviceOf(APP));
}

describe(PruneWatch.name, () => {
  it('lets dead tokens go as long as most live', () => {
    for (let round = 0; round < 100; round += 1) {
      hear(2);
      expect(removable(1)).toBe(1);
    }
    expect(sut.alarms).toEqual([]);
  });

  it('stops at the tenth that a wrong topic may have killed, and raises one alarm', () => {
    expect(removable(100)).toBe(9);
    expect(alarmLog).toHaveBeenCalledTimes(1);
    expect(sut.alarms).toEqual([
      { platform: 'apns', appId: APP, since: now, dead: 10, answers: 10, share: 1 },
    ]);
  });

  it('raises no alarm by the made-up tokens of one account, however many', () => {
    hear(3);
    for (let token = 0; token < 100; token += 1) {
      expect(sut.mayPrune(deviceOf(APP, 7), wrongTopic)).toBe(true);
    }
    expect(sut.alarms).toEqual([]);
    expect(removable(1)).toBe(1);
  });

  it('loses no more than a hundred when a busy app is broken', () => {
    hear(10_000);
    expect(removable(10_000)).toBeLessThanOrEqual(100);
  });

  it('believes for longer that tokens are no longer registered', () => {
    expect(removable(99, unregistered)).toBe(99);
    expect(removable(1000, unregistered)).toBe(0);
  });

  it('believes any number of these while one in four lives', () => {
    for (let round = 0; round < 500; round += 1) {
      hear(1);
      expect(removable(3, unregistered)).toBe(3);
    }
  });

  it('judges each app and platform for itself', () => {
    removable(100);
    expect(removable(5, wrongTopic, 'org.example.other')).toBe(5);
    expect(sut.mayPrune({ userId: 1, platform: 'fcm', appId: null }, wrongTopic)).toBe(true);
  });

  it('forgets after five minutes', () => {
    expect(removable(9)).toBe(9);
    now += 5 * MINUTE_MS;
    expect(removable(9)).toBe(9);
  });

  it('lifts the alarm when tokens live again', () => {
    removable(100);
    hear(290);
    expect(sut.alarms).toEqual([]);
    expect(removable(1)).toBe(1);
  });

  it('does not lift it while a good part is dead', () => {
    removable(100);
    for (let round = 0; round < 100; round += 1) {
      hear(2);
      expect(removable(1)).toBe(0);
    }
  });

  it('lifts it after half an hour in which none was called dead', () => {
    removable(100);
    now += 29 * MINUTE_MS;
    expect(removable(1)).toBe(0);
    now += 30 * MINUTE_MS;
    expect(sut.alarms).toEqual([]);
    expect(removable(1)).toBe(1);
  });

  it('keeps in mind a thousand apps at most, and those with an alarm', () => {
    removable(10);
    for (let app = 0; app < 2000; app += 1) sut.heard(deviceOf(`org.example.app${app}`));
    expect(sut.alarms).toHaveLength(1);
  });
});

describe(ObservedGates.name, () => {
  it('tells of gates and alarms as pages show them', () => {
    const gates = new Gates(() => now);
    const observed = new ObservedGates(gates, sut);
    gates.of({ platform: 'fcm', credential: 'project', topic: null });
    removable(10);
    expect(observed.all()).toEqual([
      {
        key: 'fcm:project',
        platform: 'fcm',
        state: 'open',
        cause: null,
        reason: null,
        since: null,
        reopensAt: null,
      },
    ]);
    expect(observed.alarms()).toEqual([
      { key: `apns:${APP}`, platform: 'apns', since: now, dead: 10, answers: 10 },
    ]);
  });
});

describe(heardOfToken.name, () => {
  it('never removes more than a hundred and nine suspects in a row, whatever came before', () => {
    const news = fc.constantFrom('alive', 'alive', 'dead', 'suspect' as const);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(news, fc.integer({ min: 0, max: 20_000 })), { maxLength: 400 }),
        (history) => {
          let at = 0;
          let watch: AppWatch = nothingHeard;
          for (const [userId, [one, afterMs]] of history.entries()) {
            watch = heardOfToken(watch, { userId, news: one }, (at += afterMs));
          }
          let removed = 0;
          for (let dead = 0; dead < 300; dead += 1) {
            watch = heardOfToken(watch, { userId: 1000 + dead, news: 'suspect' }, at);
            if (watch.alarm === null) removed += 1;
          }
          expect(removed).toBeLessThan(110);
        },
      ),
    );
  });
});
