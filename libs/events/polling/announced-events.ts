import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { LRUCache } from 'lru-cache';
import { type AnnouncedEvent, ANNOUNCEMENTS_CHANNEL } from '#events/announcements';
import { declaredEvents, type EventType } from '#events/declarations';
import { eventScopes } from '#events/log';
import type { EventQueue } from '#events/queues';
import { Subscriber } from '#platform/redis';
import { Gathering } from './gathering.js';
import { type QueueOwner, typesOf, WindowedEvent } from './windowed-event.js';

/** A client is without a poll for less than this time while it works. */
const KEPT_MS = 5000;
/** Announced events of one organisation; with more, the oldest are lost. */
const MOST_KEPT = 500;
const MOST_REALMS = 10_000;
const MOST_QUEUES = 100_000;

/** A queue and its account. */
export interface AnnouncementReader {
  readonly queue: EventQueue;
  readonly owner: QueueOwner;
}

interface Listener extends AnnouncementReader {
  readonly wake: () => void;
}

interface KeptEvent {
  readonly number: number;
  readonly at: number;
  readonly event: WindowedEvent;
}

/**
 * The announced events of the last seconds. A queue gets an event at most once, and only if this gateway answered its
 * previous poll or holds its poll: at another gateway it does not get those that came between the two polls.
 */
@Injectable()
export class AnnouncedEvents implements OnApplicationBootstrap {
  readonly #kept = new LRUCache<number, KeptEvent[]>({ max: MOST_REALMS, ttl: KEPT_MS });
  /** By queue: the number of the newest event at its last answer. */
  readonly #answered = new LRUCache<string, number>({ max: MOST_QUEUES });
  /** By account: an event names its accounts, and an organisation may have thousands of polls. */
  readonly #listeners = new Map<number, Set<Listener>>();
  readonly #gathering = new Gathering<Listener>(({ wake }) => wake());
  #types: ReadonlyMap<string, EventType> = new Map();
  #newest = 0;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly subscriber: Subscriber,
  ) {}

  onApplicationBootstrap(): void {
    this.#types = typesOf(declaredEvents(this.discovery));
    // Only EventAnnouncer publishes there.
    this.subscriber.onMessage(ANNOUNCEMENTS_CHANNEL, (text) =>
      this.receive(JSON.parse(text) as AnnouncedEvent),
    );
  }

  /** Keeps an event, and wakes the polls that it concerns. */
  receive({ realmId, type, body, userIds }: AnnouncedEvent): void {
    const declared = this.#types.get(type);
    if (declared === undefined) return;
    const logged = { position: 0, type, body: { ...body }, scope: eventScopes.listed, userIds };
    const unused = { exceptIds: [], flags: null, origin: null, traceParent: null };
    const event = new WindowedEvent({ ...logged, ...unused, storedAt: new Date() }, declared);
    this.#newest += 1;
    const now = performance.now();
    const recent = (this.#kept.get(realmId) ?? []).filter(({ at }) => now - at < KEPT_MS);
    const kept = { number: this.#newest, at: now, event };
    this.#kept.set(realmId, [...recent.slice(1 - MOST_KEPT), kept]);
    for (const listener of userIds.flatMap((id) => [...(this.#listeners.get(id) ?? [])])) {
      if (event.isFor(listener.owner, listener.queue.options)) this.#gathering.start(listener);
    }
  }

  /** The events for the answer of a queue, as JSON objects without their closing braces. They count as delivered. */
  take({ queue, owner }: AnnouncementReader): string[] {
    const answered = this.#answered.get(queue.id) ?? this.#newest;
    this.#answered.set(queue.id, this.#newest);
    if (answered === this.#newest) return [];
    return (this.#kept.get(queue.realmId) ?? [])
      .filter(({ number, event }) => number > answered && event.isFor(owner, queue.options))
      .flatMap(({ event }) => event.formsFor(queue.options));
  }

  /** Wakes a held poll once there are events for it. Returns the function that ends this. */
  listen(reader: AnnouncementReader, wake: () => void): () => void {
    const { queue, owner } = reader;
    const answered = this.#answered.get(queue.id);
    if (answered === undefined) this.#answered.set(queue.id, this.#newest);
    const kept = this.#kept.get(queue.realmId) ?? [];
    const isDue = ({ number, event }: KeptEvent): boolean =>
      answered !== undefined && number > answered && event.isFor(owner, queue.options);
    if (kept.some(isDue)) setTimeout(wake, 0);
    const listener = { ...reader, wake };
    const listeners = this.#listeners.get(owner.userId) ?? new Set();
    this.#listeners.set(owner.userId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(owner.userId) === listeners) {
        this.#listeners.delete(owner.userId);
      }
    };
  }
}
