import type { QueueOptions } from '#events/declarations';

/** A client's queue: a reader of the events of its organisation. It does not change after its registration. */
export interface EventQueue {
  readonly id: string;
  readonly realmId: number;
  readonly userId: number;
  readonly options: QueueOptions;
  /** The position of the state that the registration returned. */
  readonly startPosition: number;
  /** The lifetime without a poll, in seconds. */
  readonly idleSeconds: number;
}

/** A queue that is stored, and starts after the state of its registration has been read. */
export type ReservedQueue = Omit<EventQueue, 'startPosition'>;

/**
 * An event has the id of its position times this number. A queue that gets one event as several uses the following ids. The
 * second part of the ids is for the heartbeats and transient events after the event: about 60,000 heartbeats are 35 days without
 * any event. Ids stay below 2^53 up to position 137 billion of an organisation.
 */
const IDS_PER_POSITION = 65_536;
const FIRST_HEARTBEAT = 4096;

/** The most events that a queue gets for one stored event. */
export const MAX_FORMS = FIRST_HEARTBEAT;

/** The id of the first form of an event. */
export const eventIdAt = (position: number): number => position * IDS_PER_POSITION;

/** The smallest id above all events up to a position: the start of a queue. */
export const startIdAt = (position: number): number => eventIdAt(position) + FIRST_HEARTBEAT;

/** The position of an event, or the newest position before a heartbeat. */
export const positionOf = (eventId: number): number => Math.floor(eventId / IDS_PER_POSITION);

/** The id of a heartbeat for a client that has `lastId` and got all events up to `position`. */
export const heartbeatId = (lastId: number, position: number): number =>
  Math.min(Math.max(lastId + 1, startIdAt(position)), eventIdAt(position + 1) - 1);

/**
 * The first of `count` ids for events without a position, for a client that has `lastId` and got all events up to
 * `position`. They are ids of heartbeats. Null if there are not that many before the next event.
 */
export function transientIds(lastId: number, position: number, count: number): number | null {
  const first = Math.max(lastId + 1, startIdAt(position));
  return first + count <= eventIdAt(position + 1) ? first : null;
}
