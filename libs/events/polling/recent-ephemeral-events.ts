import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { atMost } from '#platform/core';
import { LRUCache } from 'lru-cache';
import { type EphemeralEvent, ephemeralEvents } from '#events/ephemeral';
import { declaredTypes, type EventType } from '#events/declarations';
import { eventScopes } from '#events/log';
import type { EventQueue, QueueProgress } from '#events/queues';
import { PubSub } from '#platform/redis';
import { HeldPolls } from './held-polls.js';
import { type QueueOwner, typesByName, WindowedEvent } from './windowed-event.js';

/** A client is without a poll for less than this time while it works. */
const KEPT_MS = 5000;
/** Ephemeral events of one organisation; with more, the oldest are lost. */
const MAX_KEPT = 500;
const MAX_REALMS = 10_000;

/** A queue and its account. */
interface EphemeralReader {
  readonly queue: EventQueue;
  readonly progress: QueueProgress;
  readonly owner: QueueOwner;
}

interface RecentEvent {
  readonly number: number;
  readonly at: number;
  readonly event: WindowedEvent;
}

/**
 * The ephemeral events of the last seconds. A queue gets an event at most once, and only if this gateway answered its
 * previous poll or holds its poll: at another gateway it does not get those that came between the two polls.
 */
@Injectable()
export class RecentEphemeralEvents implements OnApplicationBootstrap {
  readonly #kept = new LRUCache<number, RecentEvent[]>({ ...atMost(MAX_REALMS), ttl: KEPT_MS });
  #types: ReadonlyMap<string, EventType> = new Map();
  #newest = 0;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly pubSub: PubSub,
    private readonly held: HeldPolls,
  ) {}

  onApplicationBootstrap(): void {
    this.#types = typesByName(declaredTypes(this.discovery));
    this.pubSub.onMessage(ephemeralEvents, (event) => this.receive(event));
  }

  /** Keeps an event, and wakes the polls that it concerns. */
  receive({ realmId, type, body, userIds }: EphemeralEvent): void {
    const declared = this.#types.get(type);
    if (declared === undefined) return;
    const logged = { position: 0, type, body: { ...body }, scope: eventScopes.listed, userIds };
    const unused = { exceptIds: [], flags: null, origin: null, traceParent: null };
    const event = new WindowedEvent({ ...logged, ...unused, storedAt: new Date() }, declared);
    this.#newest += 1;
    const now = performance.now();
    const recent = (this.#kept.get(realmId) ?? []).filter(({ at }) => now - at < KEPT_MS);
    const kept = { number: this.#newest, at: now, event };
    this.#kept.set(realmId, [...recent.slice(1 - MAX_KEPT), kept]);
    for (const poll of this.held.pollsOf(realmId, userIds)) {
      if (event.isFor(poll.owner, poll.queue.options)) poll.end('events');
    }
  }

  /** The events for the answer of a queue, as JSON objects without their closing braces. They count as delivered. */
  take(reader: EphemeralReader): string[] {
    const due = this.#dueFor(reader);
    if (due === null) return [];
    this.#markRead(reader);
    return due.flatMap(({ event }) => event.formsFor(reader.queue.options));
  }

  /**
   * Makes a queue wait for the events from now on, as its poll is about to be held. Returns false, and changes nothing, if
   * there are events for it already.
   */
  startWaiting(reader: EphemeralReader): boolean {
    const due = this.#dueFor(reader);
    if (due === null) return true;
    if (due.length > 0) return false;
    this.#markRead(reader);
    return true;
  }

  /** Null if the queue has had all events so far. */
  #dueFor({ queue, progress, owner }: EphemeralReader): RecentEvent[] | null {
    const answered = progress.ephemeral;
    if (answered === this.#newest) return null;
    // A queue that is new to this gateway gets only later events.
    if (answered === null) return [];
    return (this.#kept.get(queue.realmId) ?? []).filter(
      ({ number, event }) => number > answered && event.isFor(owner, queue.options),
    );
  }

  /** Records that a queue has had all events so far. */
  #markRead({ progress }: EphemeralReader): void {
    progress.ephemeral = this.#newest;
  }
}
