import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  MAX_REMINDERS,
  nextReminder,
  type PlannedReminder,
  REMINDED_SECONDS,
  type Reminded,
} from './reminders.rules.js';

const NOW = 1_800_000_000;
const planned: PlannedReminder = { sent: 0, isHeld: false, sentAt: NOW };
const at = { now: NOW, periodSeconds: 600 };

describe(nextReminder, () => {
  it('follows after the period, until the last one', () => {
    const shown = { kind: 'shown' } as const;
    const next = { isHeld: false, cause: null, dueAt: NOW + 600 };
    expect(nextReminder(planned, shown, at)).toEqual({ ...next, sent: 1 });
    const held = { ...planned, sent: 1, isHeld: true };
    expect(nextReminder(held, shown, at)).toEqual({ ...next, sent: 2 });
    expect(nextReminder({ ...planned, sent: 2 }, shown, at)).toBeNull();
  });

  it.each([
    ['quiet_hours', true],
    ['snoozed', true],
    ['delayed', false],
  ] as const)('comes after what holds it back: %s', (cause, isHeld) => {
    const hold = { cause, until: NOW + 60 };
    const next = { sent: 0, isHeld, cause, dueAt: NOW + 60 };
    expect(nextReminder(planned, { kind: 'held', hold }, at)).toEqual(next);
  });

  it('comes once the account has left, together with what a quiet time has held back', () => {
    const reminder = { ...planned, isHeld: true };
    const next = { sent: 0, isHeld: true, cause: null, dueAt: NOW + 201 };
    expect(nextReminder(reminder, { kind: 'active', until: NOW + 201 }, at)).toEqual(next);
  });

  it('waits for a week of quiet at most, in case that it ends', () => {
    const hold = { cause: 'quiet_hours', until: NOW + 14 * 86_400 } as const;
    const end = NOW + REMINDED_SECONDS;
    const next = { sent: 0, isHeld: true, cause: 'quiet_hours', dueAt: end };
    expect(nextReminder(planned, { kind: 'held', hold }, at)).toEqual(next);
    const then = { now: end, periodSeconds: 600 };
    expect(nextReminder(planned, { kind: 'held', hold }, then)).toBeNull();
    expect(nextReminder(planned, { kind: 'shown' }, { ...then, now: end - 599 })).toBeNull();
  });

  it('is the third at most, is always in the future, and comes within a week of the message', () => {
    const kind = fc.constantFrom('shown', 'shown', 'locked', 'ended', 'active', 'held');
    const seconds = fc.oneof(fc.nat(1000), fc.nat(10 * 86_400));
    const cause = fc.constantFrom('snoozed', 'quiet_hours', 'delayed');
    const outcomes = fc.record({ kind, seconds, cause });
    const periodSeconds = fc.integer({ min: 300, max: 86_400 });
    fc.assert(
      fc.property(fc.array(outcomes, { maxLength: 12 }), periodSeconds, (history, period) => {
        let now = NOW;
        let shown = 0;
        let reminder: PlannedReminder | null = planned;
        for (const { kind: outcome, seconds: later, cause: why } of history) {
          if (reminder === null) break;
          if (outcome === 'shown') shown += 1;
          const until = now + 1 + later;
          const reminded = { kind: outcome, until, hold: { until, cause: why } } as Reminded;
          const next = nextReminder(reminder, reminded, { now, periodSeconds: period });
          const dueAt = next?.dueAt ?? NOW + REMINDED_SECONDS;
          expect(outcome === 'ended' && next !== null).toBe(false);
          expect(dueAt).toBeGreaterThan(next === null ? NOW : now);
          expect(dueAt).toBeLessThanOrEqual(NOW + REMINDED_SECONDS);
          now = dueAt;
          reminder = next && { ...next, sentAt: NOW };
        }
        expect(shown).toBeLessThanOrEqual(MAX_REMINDERS);
      }),
    );
  });
});
