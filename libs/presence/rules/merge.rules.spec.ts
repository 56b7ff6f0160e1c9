import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultPresenceTiming } from './presence-timing.js';
import {
  applyReport,
  changesNothing,
  clockLagSeconds,
  latestAcceptedAt,
  bufferedEntry,
  type PresenceEntry,
  type PresenceReport,
  type PresenceState,
  clampReport,
  clampTimes,
} from './merge.rules.js';

const report = (different: Partial<PresenceReport>): PresenceReport => ({
  userId: 1,
  kind: 'merge',
  activeAt: 0,
  idleAt: 0,
  joinedAt: 0,
  ...different,
});
const active = (at: number) => report({ activeAt: at, idleAt: at });
const idle = (at: number) => report({ idleAt: at });
const times = (activeAt: number, idleAt: number, hiddenAt = 0): PresenceState => ({
  activeAt,
  idleAt,
  hiddenAt,
  isDeactivated: false,
});

describe(applyReport.name, () => {
  it.each([
    ['a first active report', undefined, active(1000), times(1000, 1000)],
    ['a first idle report', undefined, idle(1000), times(0, 1000)],
    ['a report 55 s later', times(1000, 1000), active(1055), null],
    ['a report 56 s later', times(1000, 1000), active(1056), times(1056, 1056)],
    ['an idle report 56 s later', times(1000, 1000), idle(1056), times(1000, 1056)],
    ['activity right after an idle report', times(0, 1000), active(1001), times(1001, 1001)],
    ['activity long ago, idle lately', times(900, 1000), active(1001), times(1001, 1001)],
    ['an earlier report', times(1000, 1000), active(500), null],
    ['an earlier activity than the last idle', times(100, 1000), active(500), times(500, 1000)],
    ['a report from before hiding', times(100, 680, 1000), active(1000), null],
    ['a report from after hiding', times(100, 680, 1000), active(1001), times(1001, 1001, 1000)],
  ])('merges %s', (_title, stored, given, expected) => {
    expect(applyReport(stored, given, defaultPresenceTiming)).toEqual(expected);
  });

  it('moves the times of an invisible user behind the offline threshold, and shows idle', () => {
    const hidden = applyReport(
      times(5000, 5000),
      report({ kind: 'hide', idleAt: 5000 }),
      defaultPresenceTiming,
    );
    expect(hidden).toEqual(times(4609, 4680, 5000));
  });

  it('does not invent activity for an invisible user who was never active', () => {
    expect(
      applyReport(times(0, 5000), report({ kind: 'hide', idleAt: 5000 }), defaultPresenceTiming)
        ?.activeAt,
    ).toBe(0);
  });

  it('shows a user who goes visible as active at once', () => {
    const shown = applyReport(
      times(4609, 4680, 5000),
      report({ kind: 'show', idleAt: 5000 }),
      defaultPresenceTiming,
    );
    expect(shown).toEqual(times(5000, 5000, 5000));
  });

  it.each(['show', 'hide'] as const)('ignores a %s that is older than the last change', (kind) => {
    const late = report({ kind, idleAt: 4999 });
    expect(applyReport(times(5000, 5000, 5000), late, defaultPresenceTiming)).toBeNull();
    const atOnce = report({ kind, idleAt: 5000 });
    expect(applyReport(times(5000, 5000, 5000), atOnce, defaultPresenceTiming)).not.toBeNull();
  });

  it('keeps the times of a deactivated user for the reactivation', () => {
    const [deactivate, reactivate] = [
      report({ kind: 'deactivate' }),
      report({ kind: 'reactivate' }),
    ];
    const stored = times(1, 2, 0);
    const deactivated = { ...stored, isDeactivated: true };
    expect(applyReport(stored, deactivate, defaultPresenceTiming)).toEqual(deactivated);
    expect(applyReport(deactivated, reactivate, defaultPresenceTiming)).toEqual(stored);
    for (const [state, nothingNew] of [
      [deactivated, deactivate],
      [stored, reactivate],
      [undefined, deactivate],
      [undefined, reactivate],
    ] as const) {
      expect(applyReport(state, nothingNew, defaultPresenceTiming)).toBeNull();
    }
  });

  it('does not reactivate a user by a report in flight', () => {
    const deactivated = { ...times(1000, 1000), isDeactivated: true };
    expect(applyReport(deactivated, active(2000), defaultPresenceTiming)).toEqual({
      ...times(2000, 2000),
      isDeactivated: true,
    });
  });

  it('republishes only existing entries', () => {
    const stored = times(1, 2, 0);
    expect(applyReport(stored, report({ kind: 'republish' }), defaultPresenceTiming)).toEqual(
      stored,
    );
    expect(applyReport(undefined, report({ kind: 'republish' }), defaultPresenceTiming)).toBeNull();
  });

  const anyReports = fc.array(
    fc
      .tuple(fc.boolean(), fc.integer({ min: 1000, max: 3000 }))
      .map(([isActive, at]) => (isActive ? active(at) : idle(at))),
    { maxLength: 30 },
  );

  const anyChanges = fc.uniqueArray(
    fc.record({
      kind: fc.constantFrom('show' as const, 'hide' as const),
      idleAt: fc.integer({ min: 1000, max: 3000 }),
    }),
    { minLength: 1, maxLength: 6, selector: ({ idleAt }) => idleAt },
  );

  it('never reduces a time by merging, and never moves idle behind active', () => {
    fc.assert(
      fc.property(anyReports, (reports) => {
        let stored: PresenceState | undefined;
        for (const one of reports) {
          const next = applyReport(stored, one, defaultPresenceTiming) ?? stored;
          expect(next?.activeAt).toBeGreaterThanOrEqual(stored?.activeAt ?? 0);
          expect(next?.idleAt).toBeGreaterThanOrEqual(stored?.idleAt ?? 0);
          expect(next?.idleAt).toBeGreaterThanOrEqual(next?.activeAt ?? 0);
          stored = next;
        }
      }),
    );
  });

  it('changes nothing for a repeated report', () => {
    fc.assert(
      fc.property(anyReports, (reports) => {
        let stored: PresenceState | undefined;
        for (const one of reports)
          stored = applyReport(stored, one, defaultPresenceTiming) ?? stored;
        for (const one of reports)
          expect(applyReport(stored, one, defaultPresenceTiming)).toBeNull();
      }),
    );
  });

  it('applies the last change of visibility, for any order of arrival', () => {
    const inAnyOrder = anyChanges.chain((changes) =>
      fc.shuffledSubarray(changes, { minLength: changes.length }),
    );
    fc.assert(
      fc.property(inAnyOrder, (changes) => {
        const after = (arrived: typeof changes) =>
          arrived.reduce<PresenceState | undefined>(
            (stored, change) =>
              applyReport(stored, report(change), defaultPresenceTiming) ?? stored,
            undefined,
          );
        const inOrder = after(changes.toSorted((one, other) => one.idleAt - other.idleAt));
        const { idleAt, hiddenAt } = after(changes) ?? times(0, 0);
        expect({ idleAt, hiddenAt }).toEqual({
          idleAt: inOrder?.idleAt,
          hiddenAt: inOrder?.hiddenAt,
        });
      }),
    );
  });

  it('keeps a user invisible, for any order of earlier reports and changes', () => {
    const hiddenAt = 3001;
    const anyEarlier = anyReports.chain((merges) =>
      anyChanges.chain((changes) => {
        const all = [
          ...merges,
          ...changes.map(report),
          report({ kind: 'hide', idleAt: hiddenAt }),
          active(hiddenAt),
        ];
        return fc.shuffledSubarray(all, { minLength: all.length });
      }),
    );
    fc.assert(
      fc.property(anyEarlier, (reports) => {
        const state = reports.reduce<PresenceState | undefined>(
          (stored, one) => applyReport(stored, one, defaultPresenceTiming) ?? stored,
          undefined,
        );
        expect(state).toMatchObject({ idleAt: hiddenAt - 320, hiddenAt });
      }),
    );
  });
});

describe(changesNothing.name, () => {
  it.each([
    ['a report 55 s later', times(1000, 1000), active(1055), true],
    ['a report 56 s later', times(1000, 1000), active(1056), false],
    ['a first report', undefined, active(1000), false],
    ['a report within the tolerance for clocks', times(1005, 1005), active(1000), true],
    ['a report that the stored times are ahead of', times(1006, 1006), active(1000), false],
    [
      'a repeated deactivation',
      { ...times(0, 0), isDeactivated: true },
      report({ kind: 'deactivate' }),
      false,
    ],
    ['an unknown user to republish', undefined, report({ kind: 'republish' }), false],
  ])('of %s', (_title, stored, given, expected) => {
    expect(changesNothing(stored, given, defaultPresenceTiming)).toBe(expected);
  });
});

describe(bufferedEntry.name, () => {
  const stored: PresenceEntry = { ...times(1000, 1000), userId: 5, joinedAt: 0, id: 1_000_000_001 };
  const seenAt = (at: number) => ({ ...active(at), userId: 5, joinedAt: 7 });

  it('has the times that Redis would store, and an id above every cursor and every earlier entry', () => {
    const ids = [2000, 2100].map((at) => {
      const entry = bufferedEntry(stored, seenAt(at), 1_500_000_000, defaultPresenceTiming);
      expect(entry).toMatchObject({ userId: 5, activeAt: at, idleAt: at, joinedAt: 7 });
      return entry?.id ?? 0;
    });
    expect(ids).toEqual([2_000_000_000, 2_100_000_000]);
    const ahead = bufferedEntry(stored, seenAt(2000), 3_000_000_000, defaultPresenceTiming);
    expect(ahead?.id).toBe(3_000_000_001);
  });

  it('is null for a report that changes nothing', () => {
    expect(bufferedEntry(stored, seenAt(1055), 0, defaultPresenceTiming)).toBeNull();
  });

  it('exists for a user without a stored entry', () => {
    expect(bufferedEntry(undefined, seenAt(100), -1, defaultPresenceTiming)?.idleAt).toBe(100);
  });
});

const NOW = 1_800_000_000.9;
const LATEST = 1_800_000_005;

describe(latestAcceptedAt.name, () => {
  it('is a whole number of seconds, slightly ahead of the clock', () => {
    expect(latestAcceptedAt(NOW)).toBe(LATEST);
  });
});

describe(clockLagSeconds.name, () => {
  it.each([
    ['a request of an older release', undefined, 0],
    ['a request in transit for a minute', NOW - 60, 0],
    ['a clock that is ahead', NOW + 600, 0],
    ['a clock that is four minutes behind', NOW - 240, 240],
  ])('for %s', (_, sentAt, lag) => {
    expect(clockLagSeconds(sentAt, NOW)).toBe(lag);
  });
});

describe(clampTimes.name, () => {
  it('does not change times up to the limit', () => {
    const state = times(LATEST, LATEST);
    expect(clampTimes(state, LATEST)).toBe(state);
  });

  it.each(['activeAt', 'idleAt', 'hiddenAt'] as const)('reduces a later %s', (name) => {
    const state = times(1, 2, 3);
    expect(clampTimes({ ...state, [name]: LATEST + 1 }, LATEST)).toEqual({
      ...state,
      [name]: LATEST,
    });
  });
});

describe(clampReport.name, () => {
  it('does not change a report up to the limit', () => {
    const onTime = active(9);
    expect(clampReport(onTime, 9)).toBe(onTime);
  });

  it('reduces the times of a later report', () => {
    expect(clampReport(active(LATEST + 60), LATEST)).toEqual(active(LATEST));
    expect(clampReport(idle(LATEST + 60), LATEST)).toEqual(idle(LATEST));
  });
});
