import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { outcomeOf, refusal } from '#push/providers';
import { TokenPruneGuard } from './token-prune-guard.js';
import { addTokenAnswer, type AppHistory, emptyHistory } from './token-prune-guard.rules.js';

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
let sut: TokenPruneGuard;
let alarmLog: jest.Mock;
let liftLog: jest.Mock;
/** Each answer is about another account, unless a test says which. */
let accounts: number;

beforeEach(() => {
  now = 1_000_000;
  accounts = 0;
  sut = new TokenPruneGuard(() => now);
  alarmLog = jest.fn();
  jest.spyOn(Logger.prototype, 'error').mockImplementation(alarmLog);
  liftLog = jest.fn();
  jest.spyOn(Logger.prototype, 'log').mockImplementation(liftLog);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const deviceOf = (appId: string | null, ownerId = (accounts += 1)) =>
  ({ platform: 'apns', appId, serverId: null, ownerId }) as const;

/** How many of so many tokens called dead may be removed. */
function removable(count: number, outcome = wrongTopic, appId: string | null = APP): number {
  const answers = Array.from({ length: count }, () => sut.allowPrune(deviceOf(appId), outcome));
  return answers.filter(Boolean).length;
}

function recordAlive(count: number): void {
  for (let left = count; left > 0; left -= 1) sut.recordAlive(deviceOf(APP));
}

describe(TokenPruneGuard.name, () => {
  it('allows pruning while most tokens are alive', () => {
    for (let round = 0; round < 100; round += 1) {
      recordAlive(2);
      expect(removable(1)).toBe(1);
    }
    expect(sut.alarms).toEqual([]);
  });

  it('stops at the tenth suspect token, and raises one alarm', () => {
    recordAlive(1);
    expect(removable(100)).toBe(9);
    expect(alarmLog).toHaveBeenCalledTimes(1);
    expect(sut.alarms).toEqual([
      { key: `apns:${APP}`, platform: 'apns', since: now, dead: 10, answers: 11 },
    ]);
  });

  it('stops at the third account while no token is alive', () => {
    expect(removable(5)).toBe(2);
    expect(alarmLog).toHaveBeenCalledTimes(1);
    expect(sut.alarms).toEqual([
      { key: `apns:${APP}`, platform: 'apns', since: now, dead: 3, answers: 3 },
    ]);
  });

  it('lifts the alarm of few accounts with the first living token', () => {
    removable(5);
    expect(liftLog).not.toHaveBeenCalled();
    recordAlive(1);
    expect(sut.alarms).toEqual([]);
    expect(liftLog).toHaveBeenCalledTimes(1);
    expect(removable(4)).toBe(4);
    expect(liftLog).toHaveBeenCalledTimes(1);
  });

  it('raises no alarm for few accounts with unregistered tokens', () => {
    expect(removable(9, unregistered)).toBe(9);
    expect(removable(2)).toBe(2);
  });

  it('keeps the alarm of many accounts after the first living token', () => {
    recordAlive(1);
    removable(10);
    recordAlive(1);
    expect(sut.alarms).toHaveLength(1);
  });

  it('raises no alarm for many made-up tokens of one account', () => {
    recordAlive(3);
    for (let token = 0; token < 100; token += 1) {
      expect(sut.allowPrune(deviceOf(APP, 7), wrongTopic)).toBe(true);
    }
    expect(sut.alarms).toEqual([]);
    expect(removable(1)).toBe(1);
  });

  it.each([
    [10, wrongTopic],
    [100, unregistered],
  ])('raises the alarm at account %i, although one account is often answered', (count, outcome) => {
    const isRemovable = Array.from({ length: count }, () => {
      for (let push = 0; push < 30; push += 1) sut.recordAlive(deviceOf(APP, 1000));
      return sut.allowPrune(deviceOf(APP), outcome);
    });
    expect(isRemovable).toEqual([...Array<boolean>(count - 1).fill(true), false]);
  });

  it('removes at most a hundred tokens when a busy app breaks', () => {
    recordAlive(10_000);
    expect(removable(10_000)).toBeLessThanOrEqual(100);
  });

  it('tolerates more unregistered tokens', () => {
    expect(removable(99, unregistered)).toBe(99);
    expect(removable(1000, unregistered)).toBe(0);
  });

  it('tolerates any number of unregistered tokens while one in four is alive', () => {
    for (let round = 0; round < 500; round += 1) {
      recordAlive(1);
      expect(removable(3, unregistered)).toBe(3);
    }
  });

  it('separates apps, platforms and servers', () => {
    removable(100);
    expect(removable(2, wrongTopic, 'org.example.other')).toBe(2);
    expect(sut.allowPrune({ ...deviceOf(null), platform: 'fcm' }, wrongTopic)).toBe(true);
    expect(sut.allowPrune({ ...deviceOf(APP), serverId: 5 }, wrongTopic)).toBe(true);
  });

  it('forgets answers after five minutes', () => {
    recordAlive(1);
    expect(removable(9)).toBe(9);
    now += 5 * MINUTE_MS;
    recordAlive(1);
    expect(removable(9)).toBe(9);
  });

  it('forgets no answers of the last five minutes with older ones', () => {
    recordAlive(20);
    now += 4 * MINUTE_MS;
    expect(removable(5)).toBe(5);
    now += MINUTE_MS;
    // No token has been alive since.
    expect(removable(1)).toBe(0);
  });

  it('lifts the alarm when tokens are alive again', () => {
    recordAlive(1);
    removable(100);
    recordAlive(290);
    expect(sut.alarms).toEqual([]);
    expect(removable(1)).toBe(1);
  });

  it('keeps the alarm while many tokens are dead', () => {
    recordAlive(1);
    removable(100);
    for (let round = 0; round < 100; round += 1) {
      recordAlive(2);
      expect(removable(1)).toBe(0);
    }
  });

  it('lifts the alarm after half an hour without dead tokens', () => {
    removable(100);
    now += 29 * MINUTE_MS;
    expect(removable(1)).toBe(0);
    now += 30 * MINUTE_MS;
    expect(sut.alarms).toEqual([]);
    expect(removable(1)).toBe(1);
  });

  it('keeps the alarm for half an hour after the last dead token', () => {
    removable(100);
    now += 29 * MINUTE_MS;
    removable(1);
    now += 29 * MINUTE_MS;
    expect(sut.alarms).toHaveLength(1);
  });

  const recordOtherApps = (count: number) => {
    for (let app = 0; app < count; app += 1) sut.recordAlive(deviceOf(`org.example.app${app}`));
  };

  it.each([
    [999, 'keeps', 0],
    [1000, 'forgets', 1],
  ])('with %i other apps it %s the answers of an app', (others, _what, expected) => {
    removable(2);
    recordOtherApps(others);
    expect(removable(1)).toBe(expected);
  });

  it('keeps apps with an alarm', () => {
    removable(10);
    recordOtherApps(2000);
    expect(sut.alarms).toHaveLength(1);
  });
});

describe(addTokenAnswer.name, () => {
  it('never allows more than a hundred and nine suspects in a row, after any history', () => {
    const states = fc.constantFrom('alive', 'alive', 'dead', 'suspect' as const);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(states, fc.integer({ min: 0, max: 20_000 })), {
          maxLength: 400,
        }),
        (answers) => {
          let at = 0;
          let history: AppHistory = emptyHistory;
          for (const [ownerId, [one, afterMs]] of answers.entries()) {
            history = addTokenAnswer(history, { ownerId, state: one }, (at += afterMs));
          }
          let removed = 0;
          for (let dead = 0; dead < 300; dead += 1) {
            history = addTokenAnswer(history, { ownerId: 1000 + dead, state: 'suspect' }, at);
            if (history.alarm === null) removed += 1;
          }
          expect(removed).toBeLessThan(110);
        },
      ),
    );
  });
});
