import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ApiError, type Caller, roles } from '#platform/contracts';
import type { Session } from '#platform/database';
import {
  type CapabilityEvents,
  declaredEvents,
  declaredTransientEvents,
  type QueueOptions,
  type TransientEvents,
  wantsType,
} from '#events/declarations';
import { QueuesService, startIdAt } from '#events/queues';
import { registerErrors } from './register.errors.js';
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
}

/** Registers event queues, with the state of all capabilities that declare one. */
@Injectable()
export class RegisterService implements OnApplicationBootstrap {
  #capabilities: readonly CapabilityEvents[] = [];
  #transient: TransientEvents | undefined;

  constructor(
    private readonly snapshots: SnapshotRepository,
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
    const [{ state, position }, transient] = await Promise.all([
      this.snapshots.read(caller.realm.id, (snapshot) =>
        this.#readState(caller, registration, snapshot),
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
      state: { ...state, ...transient.state },
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
    snapshot: Session,
  ): Promise<Readonly<Record<string, unknown>>> {
    const chosen = fetchTypes ?? options.eventTypes;
    const wants = (type: string) => chosen === null || chosen.includes(type);
    const request = { caller, snapshot, options, presenceHistoryDays, wants };
    const state: Record<string, unknown> = {};
    // One after the other, because they share the connection of the snapshot.
    for (const capability of this.#capabilities) {
      if (!capability.fetchTypes.some(wants)) continue;
      Object.assign(state, await capability.readState(request));
    }
    return state;
  }
}
