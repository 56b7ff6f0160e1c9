import { describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming } from './presence-timing.js';
import { comesOnline, isOnline } from './online.rules.js';
import { applyReport, type PresenceReport, type PresenceState } from './merge.rules.js';

const NOW = 1_000_000;

const state = (different: Partial<PresenceState> = {}): PresenceState => ({
  activeAt: NOW - 1000,
  idleAt: NOW - 1000,
  hiddenAt: 0,
  isDeactivated: false,
  ...different,
});

const report = (different: Partial<PresenceReport> = {}): PresenceReport => ({
  userId: 1,
  kind: 'merge',
  activeAt: NOW,
  idleAt: NOW,
  joinedAt: 1,
  ...different,
});

/** Whether a report makes the user come online. */
function comesOnlineBy(before: PresenceState | undefined, different: Partial<PresenceReport> = {}) {
  const after = applyReport(before, report(different), defaultPresenceTiming);
  return after !== null && comesOnline(before, after, defaultPresenceTiming);
}

describe(comesOnline.name, () => {
  it.each([
    ['the first report', undefined],
    ['an offline user', state()],
    [
      'a user who was idle for longer than the threshold',
      state({ activeAt: NOW - 201, idleAt: NOW - 1 }),
    ],
    ['a user who was idle until now and never active', state({ activeAt: 0, idleAt: NOW - 1 })],
  ])('is true for the activity of %s', (_, before) => {
    expect(comesOnlineBy(before)).toBe(true);
  });

  it.each([
    ['a refresh', state({ activeAt: NOW - 60, idleAt: NOW - 60 }), {}],
    ['activity after the threshold', state({ activeAt: NOW - 200, idleAt: NOW - 60 }), {}],
    ['an idle report', state(), { activeAt: 0 }],
    [
      'the deactivation of the account',
      state({ activeAt: NOW, idleAt: NOW }),
      { kind: 'deactivate' },
    ],
    ['a reactivation', state({ activeAt: NOW - 9, isDeactivated: true }), { kind: 'reactivate' }],
    ['going invisible', state({ activeAt: NOW - 9, idleAt: NOW - 9 }), { kind: 'hide' }],
  ] as const)('is false for %s', (_, before, different) => {
    expect(comesOnlineBy(before, different)).toBe(false);
  });

  it('is true when an invisible user becomes visible', () => {
    const hidden = applyReport(
      state({ activeAt: NOW - 9, idleAt: NOW - 9 }),
      report({ kind: 'hide', idleAt: NOW - 5 }),
      defaultPresenceTiming,
    );
    expect(comesOnlineBy(hidden ?? undefined, { kind: 'show' })).toBe(true);
  });
});

describe(isOnline.name, () => {
  it.each([
    [state({ activeAt: NOW - 200 }), true],
    [state({ activeAt: NOW - 201 }), false],
    [state({ activeAt: NOW - 10, hiddenAt: NOW - 5 }), false],
    [state({ activeAt: NOW - 5, hiddenAt: NOW - 5 }), true],
    [state({ activeAt: NOW, isDeactivated: true }), false],
  ])('%j: %s', (times, isShown) => {
    expect(isOnline(times, defaultPresenceTiming, NOW)).toBe(isShown);
  });
});
