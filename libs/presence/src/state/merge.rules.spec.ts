import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultPresenceTiming } from '#contracts';
import { applyReport, type PresenceReport, type PresenceState } from './merge.rules.js';

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

  it('hides behind every threshold of a reader, and as idle', () => {
    const hidden = applyReport(
      times(5000, 5000),
      report({ kind: 'hide', idleAt: 5000 }),
      defaultPresenceTiming,
    );
    expect(hidden).toEqual(times(4609, 4680, 5000));
  });

  it('does not invent activity for who hides without having been active', () => {
    expect(
      applyReport(times(0, 5000), report({ kind: 'hide', idleAt: 5000 }), defaultPresenceTiming)
        ?.activeAt,
    ).toBe(0);
  });

  it('shows as active at once, whatever the last report', () => {
    const shown = applyReport(
      times(4609, 4680, 5000),
      report({ kind: 'show', idleAt: 5000 }),
      defaultPresenceTiming,
    );
    expect(shown).toEqual(times(5000, 5000, 5000));
  });

  it.each(['show', 'hide'] as const)(
    'lets nobody %s by a change that is older than the last',
    (kind) => {
      const late = report({ kind, idleAt: 4999 });
      expect(applyReport(times(5000, 5000, 5000), late, defaultPresenceTiming)).toBeNull();
      const atOnce = report({ kind, idleAt: 5000 });
      expect(applyReport(times(5000, 5000, 5000), atOnce, defaultPresenceTiming)).not.toBeNull();
    },
  );

  it('keeps the times of who is deactivated for when they are back', () => {
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

  it('does not bring back who is deactivated by a report that was under way', () => {
    const deactivated = { ...times(1000, 1000), isDeactivated: true };
    expect(applyReport(deactivated, active(2000), defaultPresenceTiming)).toEqual({
      ...times(2000, 2000),
      isDeactivated: true,
    });
  });

  it('republishes what is there, and nothing else', () => {
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

  it('never moves a time down by merging, nor idle behind active', () => {
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

  it('changes nothing by repeating a report', () => {
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

  it('lets the last change of sharing decide, in whatever order they arrive', () => {
    const anyChanges = fc.uniqueArray(
      fc.record({
        kind: fc.constantFrom('show' as const, 'hide' as const),
        idleAt: fc.integer({ min: 1000, max: 3000 }),
      }),
      { minLength: 1, maxLength: 6, selector: ({ idleAt }) => idleAt },
    );
    const shuffled = anyChanges.chain((changes) =>
      fc.shuffledSubarray(changes, { minLength: changes.length }),
    );
    fc.assert(
      fc.property(shuffled, (changes) => {
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
});
