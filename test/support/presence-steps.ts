import fc from 'fast-check';

export const USERS = 4;
export const PROCESSES = 2;

/** The steps of a history, in any order. Users and processes are named by index. */
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
 * A former defect: Redis returns to the position of the replica of the process that has just accepted a change, so that
 * the process does not notice the loss.
 */
const BACK_TO_A_TRAILING_REPLICA: PresenceStep[] = [
  { kind: 'hide or show', user: 0, via: 0, isActive: false },
  { kind: 'report', user: 0, via: 1, isActive: true },
  { kind: 'report', user: 3, via: 1, isActive: true },
  { kind: 'dump' },
  { kind: 'report', user: 3, via: 0, isActive: false },
  { kind: 'go back to the dump' },
];

/** Redis loses a change of a process that is still loading the realm. */
const LOST_WHILE_READ: PresenceStep[] = [
  { kind: 'poll', viewer: 0, via: 0 },
  { kind: 'report', user: 0, via: 0, isActive: false },
  { kind: 'hide or show', user: 0, via: 1, isActive: true },
  { kind: 'flush' },
];

/** A user is reactivated, unnoticed by all processes that hid the user. */
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

/** A process stops before the others have its change, and then Redis loses it: only PostgreSQL has it. */
const GONE_BEFORE_A_LOSS: PresenceStep[] = [
  { kind: 'poll', viewer: 0, via: 0 },
  { kind: 'report', user: 3, via: 1, isActive: true },
  { kind: 'replace', via: 1 },
  { kind: 'flush' },
];

/** A process stops after it has noticed that Redis lost a change which only this process has. */
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

/** Histories that once skipped a change. */
export const FOUND_BEFORE: readonly PresenceStep[][] = [
  BACK_TO_A_TRAILING_REPLICA,
  LOST_WHILE_READ,
  BACK_UNNOTICED,
  GONE_BEFORE_A_LOSS,
  STOPPED_AFTER_A_LOSS,
];
