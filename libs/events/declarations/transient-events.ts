import { DiscoveryService } from '@nestjs/core';
import type { Caller } from '#platform/contracts';
import type { SharedText } from '#platform/http';
import type { QueueOptions } from './queue-options.js';
import type { StateRequest } from './capability-events.js';

/** A queue that reads transient events. */
export interface TransientReader {
  readonly caller: Caller;
  readonly options: QueueOptions;
  /** The cursor of the events that the client has acknowledged; null if it is unknown. */
  readonly cursor: number | null;
}

/** A request for the state of a registration that is not part of its snapshot. */
export type TransientStateRequest = Omit<
  StateRequest,
  'snapshot' | 'wants' | 'wantsAll' | 'share' | 'readShared'
>;

/** The transient events of a queue after its cursor. */
export interface TransientChanges {
  /** In order and without `id`; at least one. */
  readonly events: readonly object[];
  /** The cursor after these events: a whole number. */
  readonly cursor: number;
}

/**
 * Events that are not stored: the changes since a cursor, in their newest form. Events that a client does not acknowledge
 * are read again.
 */
export interface TransientEvents {
  readonly type: string;
  /** The cursor before the state of a registration that is read next; null if it is unknown. Never rejects. */
  startCursor(caller: Caller): Promise<number | null>;
  /**
   * The members of the response of `POST /register`, outside of its snapshot: as an object, or as their bytes if they are
   * there as JSON already. Never rejects.
   */
  readState(request: TransientStateRequest): Promise<object | SharedText>;
  /**
   * The events for several queues of one organisation, null for a queue without any. Takes a short time at most, and never
   * rejects.
   */
  read(readers: readonly TransientReader[]): Promise<readonly (TransientChanges | null)[]>;
  /**
   * Sets the only listener for organisations that may have events; null stands for all. It is also called some time after a
   * reading that failed.
   */
  onChange(listener: (realmId: number | null) => void): void;
}

/** Marks the provider of the TransientEvents of a program. */
export const DeclaresTransientEvents = DiscoveryService.createDecorator();

/** The TransientEvents of a program; undefined if it has none. */
export const declaredTransientEvents = (discovery: DiscoveryService): TransientEvents | undefined =>
  discovery.getProviders({ metadataKey: DeclaresTransientEvents.KEY })[0]?.instance as
    TransientEvents | undefined;

/** Whether a queue gets events of a type. */
export const wantsType = ({ eventTypes }: QueueOptions, type: string): boolean =>
  eventTypes === null || eventTypes.includes(type);
