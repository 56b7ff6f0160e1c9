import type { Hold } from '../decision/decision.rules.js';

/** An account is reminded of a message so often at most. */
export const MAX_REMINDERS = 3;

/** An account has so many messages at most that wait for a reminder. */
export const MAX_WAITING = 1000;

/** Nobody is reminded of a message that was sent so many seconds before. */
export const REMINDED_SECONDS = 7 * 86_400;

/** A transaction that held the row of a message has ended after so many seconds. */
const RETRY_SECONDS = 2;

/** A reminder that waits. Times are in UNIX seconds. */
export interface PlannedReminder {
  /** The reminders of the message that were sent. */
  readonly sent: number;
  /** Whether quiet hours or a snooze have held it back. */
  readonly isHeld: boolean;
  /** When the message was sent. */
  readonly sentAt: number;
}

/** The decision about a due reminder. */
export type Reminded =
  /** The message was read, deleted or taken back, or the account does not want reminders any more. */
  | { readonly kind: 'ended' }
  /** Phones show the message again, or a newer one of its conversation. */
  | { readonly kind: 'shown' }
  /** The account wants quiet. */
  | { readonly kind: 'held'; readonly hold: Hold }
  /** The account is at a screen. */
  | { readonly kind: 'active'; readonly until: number }
  /** Another transaction reads or changes the message. */
  | { readonly kind: 'locked' };

/** The reminder that follows. */
export interface NextReminder extends Omit<PlannedReminder, 'sentAt'> {
  /** In UNIX seconds. */
  readonly dueAt: number;
  /** What holds it back until then; null if nothing does. */
  readonly cause: Hold['cause'] | null;
}

/** The reminder that follows a due one at `now`, with the period of now in seconds; null if it was the last one. */
export function nextReminder(
  reminder: PlannedReminder,
  reminded: Reminded,
  at: { readonly now: number; readonly periodSeconds: number },
): NextReminder | null {
  const next = followerOf(reminder, reminded, at);
  if (next === null) return null;
  const end = reminder.sentAt + REMINDED_SECONDS;
  // Quiet hours may go on without an end, and be removed until the last moment.
  const dueAt = reminded.kind === 'shown' ? next.dueAt : Math.min(next.dueAt, end);
  return dueAt > at.now && dueAt <= end ? { ...next, dueAt } : null;
}

function followerOf(
  { sent, isHeld }: PlannedReminder,
  reminded: Reminded,
  { now, periodSeconds }: { readonly now: number; readonly periodSeconds: number },
): NextReminder | null {
  const same = { sent, isHeld, cause: null };
  switch (reminded.kind) {
    case 'ended':
      return null;
    case 'shown':
      return sent + 1 < MAX_REMINDERS
        ? { sent: sent + 1, isHeld: false, cause: null, dueAt: now + periodSeconds }
        : null;
    case 'held': {
      const { until, cause } = reminded.hold;
      return { sent, isHeld: cause !== 'delayed', cause, dueAt: until };
    }
    case 'active':
      return { ...same, dueAt: reminded.until };
    case 'locked':
      return { ...same, dueAt: now + RETRY_SECONDS };
  }
}
