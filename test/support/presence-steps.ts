import fc from 'fast-check';

export const USERS = 4;
export const PROCESSES = 2;

/** What may happen to presence, in any order. Users and processes are given by their index. */
export const anyStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('report' as const), ...whoAndWhere() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('hide or show' as const), ...whoAndWhere() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('poll' as const),
      viewer: fc.nat(USERS),
      via: fc.nat(PROCESSES - 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('leave or come back' as const),
      user: fc.nat(USERS - 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('replace' as const), via: fc.nat(PROCESSES - 1) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dump' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('go back to the dump' as const) }) },
);

export type PresenceStep = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

function whoAndWhere() {
  return {
    user: fc.nat(USERS - 1),
    via: fc.nat(PROCESSES - 1),
    isActive: fc.boolean(),
  };
}

/**
 * What was found once: Redis goes back to where the mirror of the process stands that has accepted a
 * change since, and so nothing looks amiss there.
 */
const BACK_TO_A_TRAILING_MIRROR: PresenceStep[] = [
  { kind: 'hide or show', user: 0, via: 0, isActive: false },
  { kind: 'report', user: 0, via: 1, isActive: true },
  { kind: 'report', user: 3, via: 1, isActive: true },
  { kind: 'dump' },
  { kind: 'report', user: 3, via: 0, isActive: false },
  { kind: 'go back to the dump' },
];

/** Redis forgets at once what was accepted by a process that was only just reading the realm. */
const LOST_WHILE_READ: PresenceStep[] = [
  { kind: 'poll', viewer: 0, via: 0 },
  { kind: 'report', user: 0, via: 0, isActive: false },
  { kind: 'hide or show', user: 0, via: 1, isActive: true },
  { kind: 'flush' },
];

/** Somebody who has left comes back unseen by all processes that left them out. */
const BACK_UNNOTICED: PresenceStep[] = [
  { kind: 'report', user: 0, via: 0, isActive: true },
  { kind: 'poll', viewer: 1, via: 0 },
  { kind: 'leave or come back', user: 0 },
  { kind: 'report', user: 1, via: 0, isActive: true },
  { kind: 'poll', viewer: 2, via: 0 },
  { kind: 'poll', viewer: 2, via: 0 },
  { kind: 'leave or come back', user: 0 },
  { kind: 'replace', via: 0 },
];

/** A process is gone before the others have what it accepted, and then Redis forgets it: only PostgreSQL has it. */
const GONE_BEFORE_A_LOSS: PresenceStep[] = [
  { kind: 'poll', viewer: 0, via: 0 },
  { kind: 'report', user: 3, via: 1, isActive: true },
  { kind: 'replace', via: 1 },
  { kind: 'flush' },
];

/** A process is stopped that has just found that Redis has lost what only this process knows. */
const STOPPED_AFTER_A_LOSS: PresenceStep[] = [
  { kind: 'report', user: 1, via: 0, isActive: true },
  { kind: 'leave or come back', user: 0 },
  { kind: 'poll', viewer: 0, via: 0 },
  { kind: 'poll', viewer: 2, via: 1 },
  { kind: 'report', user: 3, via: 1, isActive: true },
  { kind: 'flush' },
  { kind: 'poll', viewer: 1, via: 0 },
  { kind: 'report', user: 0, via: 0, isActive: true },
  { kind: 'report', user: 0, via: 1, isActive: false },
  { kind: 'replace', via: 1 },
];

/** Histories in which a change was skipped once. */
export const FOUND_BEFORE: readonly PresenceStep[][] = [
  BACK_TO_A_TRAILING_MIRROR,
  LOST_WHILE_READ,
  BACK_UNNOTICED,
  GONE_BEFORE_A_LOSS,
  STOPPED_AFTER_A_LOSS,
];
