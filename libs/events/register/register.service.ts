import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ApiError, type Caller, roles } from '#platform/contracts';
import { SharedText } from '#platform/http';
import {
  type CapabilityEvents,
  declaredEvents,
  declaredTransientEvents,
  type QueueOptions,
  type SharedMembers,
  type TransientEvents,
  wantsType,
} from '#events/declarations';
import { QueuesService, startIdAt } from '#events/queues';
import { registerErrors } from './register.errors.js';
import { SharedStates, type Snapshot } from './shared-states.js';
import { SnapshotRepository } from './snapshot.repository.js';

/** The parameters of a registration. */
export interface Registration {
  readonly options: QueueOptions;
  readonly idleSeconds: number;
  /** The parts of the state; null for those of the event types. */
  readonly fetchTypes: readonly string[] | null;
  readonly presenceHistoryDays: number;
}

/** The queue of a registration and the state from which its events continue. */
export interface Registered {
  readonly queueId: string;
  readonly lastEventId: number;
  readonly state: Readonly<Record<string, unknown>>;
  /** Further members of the state, as bytes that other registrations get too. */
  readonly shared: readonly SharedText[];
}

/** A state without its transient part. */
type StoredState = Pick<Registered, 'state' | 'shared'>;

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
  ) {}

  onApplicationBootstrap(): void {
    this.#capabilities = declaredEvents(this.discovery);
    this.#transient = declaredTransientEvents(this.discovery);
  }

  /** Rejects with `allMessagesNotAuthorized` for a guest who asks for the messages of all public channels. */
  async register(caller: Caller, registration: Registration): Promise<Registered> {
    const { options, idleSeconds } = registration;
    if (options.allPublicStreams && caller.role >= roles.guest) {
      throw new ApiError(registerErrors.allMessagesNotAuthorized);
    }
    const realmId = caller.realm.id;
    const [{ state: stored, position }, transient] = await Promise.all([
      this.snapshots.read(realmId, (session, at) =>
        this.#readState(caller, registration, { realmId, session, position: at }),
      ),
      this.#readTransientState(caller, registration),
    ]);
    const queue = await this.queues.create(caller, {
      options,
      idleSeconds,
      startPosition: position,
      cursor: transient.cursor,
    });
    return {
      queueId: queue.id,
      lastEventId: startIdAt(position),
      state: { ...stored.state, ...transient.state },
      shared: stored.shared,
    };
  }

  /** Outside of the snapshot, which would wait for another program with a connection to PostgreSQL. */
  async #readTransientState(
    caller: Caller,
    { options, fetchTypes, presenceHistoryDays }: Registration,
  ): Promise<{ cursor: number | null; state: object }> {
    const source = this.#transient;
    if (source === undefined) return { cursor: null, state: {} };
    const wantsEvents = wantsType(options, source.type);
    const wantsState = fetchTypes?.includes(source.type) ?? wantsEvents;
    // First the cursor: a change in between is in the state and an event, which is harmless.
    const cursor = wantsEvents ? await source.startCursor(caller) : null;
    const request = { caller, options, presenceHistoryDays };
    return { cursor, state: wantsState ? await source.readState(request) : {} };
  }

  async #readState(
    caller: Caller,
    { options, fetchTypes, presenceHistoryDays }: Registration,
    snapshot: Snapshot,
  ): Promise<StoredState> {
    const chosen = fetchTypes ?? options.eventTypes;
    const wants = (type: string) => chosen === null || chosen.includes(type);
    const shared: SharedText[] = [];
    const share = async (members: SharedMembers) => {
      const found = await this.shared.of(snapshot, members);
      if (!(found instanceof SharedText)) return found;
      shared.push(found);
      return {};
    };
    const { session } = snapshot;
    const request = { caller, snapshot: session, options, presenceHistoryDays, wants, share };
    const state: Record<string, unknown> = {};
    // One after the other, because they share the connection of the snapshot.
    for (const capability of this.#capabilities) {
      if (!capability.fetchTypes.some(wants)) continue;
      Object.assign(state, await capability.readState(request));
    }
    return { state, shared };
  }
}
