import { leastJobPriority, type NotificationKind, type PushLane } from '#contracts';

/** Devices that one account, and one organisation, may have notified in a second before the rest must wait. */
export const URGENT_DEVICES_PER_USER = 200;
export const URGENT_DEVICES_PER_REALM = 1000;
/** Devices that one event may have notified before the rest must wait: who is one of so many can. */
export const URGENT_DEVICES_PER_EVENT = 200;

/** BullMQ's most urgent priority of those that go behind jobs without one. */
const FIRST_PRIORITY = 1;

/** How much was accepted in the last second, what is to be placed included. */
export interface RecentLoad {
  /** Of what is to be placed: those of the same event before it, and its own. */
  readonly devicesOfEvent: number;
  readonly devicesOfUser: number;
  readonly devicesOfRealm: number;
}

/** Where a job goes; one of a lower priority number goes first. */
export interface Placing {
  readonly lane: PushLane;
  readonly priority?: number;
}

/**
 * Decides which lane a notification takes. Somebody waits for a test or a message, but a fan-out or a storm
 * must not make others wait: what is beyond the share of an event, an account or an organisation goes into the
 * lane that may wait, the further behind the more there is of it. What clears a screen always goes there.
 */
export function placingOf(
  kind: NotificationKind,
  { devicesOfEvent, devicesOfUser, devicesOfRealm }: RecentLoad,
): Placing {
  const excess = Math.max(
    devicesOfEvent / URGENT_DEVICES_PER_EVENT,
    devicesOfUser / URGENT_DEVICES_PER_USER,
    devicesOfRealm / URGENT_DEVICES_PER_REALM,
  );
  if (kind !== 'remove' && excess <= 1) return { lane: 'urgent' };
  const steps = Math.max(0, Math.ceil(Math.log2(excess)));
  return { lane: 'bulk', priority: Math.min(FIRST_PRIORITY + steps, leastJobPriority) };
}
