import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  ApiError,
  type Caller,
  LIMITS,
  type Limits,
  requestErrors,
  signInErrors,
} from '#platform/contracts';
import { SharedText } from '#platform/http';
import {
  type CapabilityEvents,
  capabilitiesWithState,
  declaredTransientEvents,
  IS_GUEST,
  type IsGuest,
  type QueueOptions,
  type SharedMembers,
  type TransientEvents,
  wantsType,
} from '#events/declarations';
import { QueuesService, startIdAt } from '#events/queues';
import { registerErrors } from './register.errors.js';
import { SharedStates, type Snapshot } from './shared-states.js';
import { type AccountSnapshot, SnapshotRepository } from './snapshot.repository.js';

/** Each fails only if the access of the account changes while its state is read. */
const MAX_ATTEMPTS = 5;

/** The parameters of a registration. */
interface Registration {
  readonly options: QueueOptions;
  readonly idleSeconds: number;
  /** The parts of the state; null for those of the event types. */
  readonly fetchTypes: readonly string[] | null;
  readonly presenceHistoryDays: number;
}

/** The queue of a registration and the state from which its events continue. */
interface Registered {
  readonly queueId: string;
  readonly lastEventId: number;
  readonly state: Readonly<Record<string, unknown>>;
  /** Further members of the state, as bytes that other registrations may get too. */
  readonly shared: readonly SharedText[];
}

/** A part of a state. */
type PartOfState = Pick<Registered, 'state' | 'shared'>;

/** Registers event queues, with the state of all capabilities that declare one. */
@Injectable()
export class RegisterService implements OnApplicationBootstrap {
  #capabilities: readonly CapabilityEvents[] = [];
  #transient: TransientEvents | undefined;

  constructor(
    private readonly snapshots: SnapshotRepository,
    private readonly shared: SharedStates,
    private readonly queues: QueuesService,
    private readonly discovery: DiscoveryService,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'eventQueues'>,
    @Inject(IS_GUEST) private readonly isGuest: IsGuest,
  ) {}

  onApplicationBootstrap(): void {
    this.#capabilities = capabilitiesWithState(this.discovery);
    this.#transient = declaredTransientEvents(this.discovery);
  }

  /**
   * Rejects with `allMessagesNotAuthorized` for a guest who asks for the messages of all public channels, and with
   * `accountDeactivated` for an account that is deactivated at the same time. Rejects with `temporarilyUnavailable` if the
   * access of the account changes during each of several attempts.
   */
  async register(caller: Caller, registration: Registration): Promise<Registered> {
    this.#refuseToGuests(caller, registration.options);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const registered = await this.#attempt(caller, registration);
      if (registered !== null) return registered;
    }
    throw new ApiError(requestErrors.temporarilyUnavailable);
  }

  /** Null if the account lost its queues meanwhile, because it sees the organisation differently now. */
  async #attempt(caller: Caller, registration: Registration): Promise<Registered | null> {
    const queue = await this.queues.reserve(caller, registration, this.limits.eventQueues);
    const [{ state: stored, position }, transient] = await Promise.all([
      this.snapshots.read(caller, (snapshot) => this.#readAs(caller, registration, snapshot)),
      this.#readTransientState(caller, registration),
    ]);
    const start = { startPosition: position, cursor: transient.cursor };
    if (!(await this.queues.start(queue, start))) return null;
    return {
      queueId: queue.id,
      lastEventId: startIdAt(position),
      state: { ...stored.state, ...transient.state },
      shared: [...stored.shared, ...transient.shared],
    };
  }

  /** The state with the role of the snapshot: that of the sign-in may have changed. */
  #readAs(
    signedIn: Caller,
    registration: Registration,
    { role, ...snapshot }: AccountSnapshot,
  ): Promise<PartOfState> {
    if (role === null) throw new ApiError(signInErrors.accountDeactivated);
    const caller = { ...signedIn, role };
    this.#refuseToGuests(caller, registration.options);
    return this.#readState(caller, registration, { realmId: caller.realm.id, ...snapshot });
  }

  /** Outside of the snapshot, which would wait for another program with a connection to PostgreSQL. */
  async #readTransientState(
    caller: Caller,
    { options, fetchTypes, presenceHistoryDays }: Registration,
  ): Promise<{ readonly cursor: number | null } & PartOfState> {
    const source = this.#transient;
    if (source === undefined) return { cursor: null, state: {}, shared: [] };
    const wantsEvents = wantsType(options, source.type);
    const wantsState = fetchTypes?.includes(source.type) ?? wantsEvents;
    // First the cursor: a change in between is in the state and an event, which is harmless.
    const cursor = wantsEvents ? await source.startCursor(caller) : null;
    const request = { caller, options, presenceHistoryDays };
    const state = wantsState ? await source.readState(request) : {};
    return state instanceof SharedText
      ? { cursor, state: {}, shared: [state] }
      : { cursor, state: { ...state }, shared: [] };
  }

  async #readState(
    caller: Caller,
    { options, fetchTypes, presenceHistoryDays }: Registration,
    snapshot: Snapshot,
  ): Promise<PartOfState> {
    const chosen = fetchTypes ?? options.eventTypes;
    const wants = (type: string) => chosen === null || chosen.includes(type);
    const shared: SharedText[] = [];
    const share = async (members: SharedMembers) => {
      const found = await this.shared.of(snapshot, members);
      if (!(found instanceof SharedText)) return found;
      shared.push(found);
      return {};
    };
    const readShared = async (members: SharedMembers) => {
      const found = await this.shared.of(snapshot, members);
      return found instanceof SharedText ? found.members() : found;
    };
    const { session } = snapshot;
    const wantsAll = chosen === null;
    const request = {
      caller,
      options,
      presenceHistoryDays,
      snapshot: session,
      wants,
      wantsAll,
      share,
      readShared,
    };
    const state: Record<string, unknown> = {};
    // One after the other, because they share the connection of the snapshot.
    for (const capability of this.#capabilities) {
      if (!capability.fetchTypes.some(wants)) continue;
      Object.assign(state, await capability.readState(request));
    }
    return { state, shared };
  }

  #refuseToGuests({ role }: Caller, { allPublicStreams }: QueueOptions): void {
    if (allPublicStreams && this.isGuest(role)) {
      throw new ApiError(registerErrors.allMessagesNotAuthorized);
    }
  }
}
