import { DiscoveryService } from '@nestjs/core';
import type { Caller } from '#platform/contracts';
import type { Session } from '#platform/database';
import type { QueueOptions } from './queue-options.js';

type Body = Readonly<Record<string, unknown>>;

/** The reader of an event: a queue and its account. */
export interface EventReader {
  readonly userId: number;
  readonly options: QueueOptions;
  /** The flags of the event for this account. */
  readonly flags: readonly string[];
}

/** How a run of events side by side becomes one event. */
export interface Merging {
  /** Equal for the bodies of a run; null for one that stays alone. */
  readonly keyOf: (body: Body) => string | null;
  /** The number of items of a body. A merged event has a limited number of them. */
  readonly sizeOf: (body: Body) => number;
  /** The body for a run of two or more, in order. */
  readonly merge: (bodies: readonly Body[]) => Body;
}

/** A type of events: the form that queues get. */
export interface EventType {
  readonly type: string;
  /** Whether it has `flags`, which differ for each reader. */
  readonly hasFlags?: true;
  /**
   * The events that a queue gets for a stored one, without `type`, `id` and `flags`; none, one or several. It depends only
   * on the options, so that all queues with the same options share the result. By default the stored body is the event.
   */
  readonly formsOf?: (body: Body, options: QueueOptions) => readonly object[];
  /** Whether a queue gets an event of its type and audience; by default always. */
  readonly isFor?: (body: Body, reader: EventReader) => boolean;
  /** How events of this type side by side become one. By default they do not. */
  readonly merging?: Merging;
}

/** Members of a state that are the same for many registrations of an organisation. */
export interface SharedMembers {
  /** Equal for requests that get the same members. */
  readonly key: string;
  /** The types of the events of all changes of the members. */
  readonly changedBy: readonly string[];
  /** Shares the members also if they are small, because reading them takes long. By default only large ones are shared. */
  readonly isCostly?: true;
  /** Reads the members: at least one. */
  readonly read: () => Promise<Body>;
}

/** A request for the state of a registration. */
export interface StateRequest {
  /** With its role in the snapshot: that of the sign-in may have changed. */
  readonly caller: Caller;
  /** All reads use this session, so that the state is that of one moment. */
  readonly snapshot: Session;
  readonly options: QueueOptions;
  /** The days for which `presences` goes back. */
  readonly presenceHistoryDays: number;
  /** Whether the client asked for a fetch type. */
  readonly wants: (fetchType: string) => boolean;
  /** Whether the client named no fetch types: it gets all. */
  readonly wantsAll: boolean;
  /**
   * Adds shared members to the response: large ones are read once, until an event changes them. Resolves with the members
   * that the caller has to return.
   */
  readonly share: (members: SharedMembers) => Promise<Body>;
  /** Resolves with shared members that are no part of the response: the caller forms its own members with them. */
  readonly readShared: (members: SharedMembers) => Promise<Body>;
}

/** The types of events that a capability adds. */
export interface DeclaredTypes {
  readonly types: readonly EventType[];
}

/** The state of a capability that `POST /register` returns, and the events of its changes. */
export interface CapabilityEvents extends DeclaredTypes {
  /** `readState` runs when the client wants one of them. */
  readonly fetchTypes: readonly string[];
  /** The members of the response of `POST /register` for the wanted fetch types. */
  readState(request: StateRequest): Promise<Readonly<Record<string, unknown>>>;
}

/** Marks a provider as DeclaredTypes or CapabilityEvents: the gateway finds it in the modules of its program. */
export const DeclaresEvents = DiscoveryService.createDecorator();

const declarations = (discovery: DiscoveryService): DeclaredTypes[] =>
  discovery
    .getProviders({ metadataKey: DeclaresEvents.KEY })
    .map(({ instance }) => instance as DeclaredTypes);

/** All types of events of a program. */
export const declaredTypes = (discovery: DiscoveryService): EventType[] =>
  declarations(discovery).flatMap(({ types }) => types);

/** The capabilities of a program that have a state. */
export const capabilitiesWithState = (discovery: DiscoveryService): CapabilityEvents[] =>
  declarations(discovery).filter((declared) => 'readState' in declared) as CapabilityEvents[];
