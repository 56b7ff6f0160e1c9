import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { mapInSlices, PeriodicService, PeriodicTask } from '#platform/core';
import { PubSub } from '#platform/redis';
import { declaredTypes, type EventType } from '#events/declarations';
import { EventRepository, newEvents } from '#events/log';
import { EventWindow } from './event-window.js';
import { KnownHeads } from './known-heads.js';
import { typesByName, type WindowedEvent } from './windowed-event.js';

/** For events whose message over Redis was lost: Redis keeps none. */
const LOOK_EVERY_MS = 1000;
/** Small: an event can list tens of thousands of accounts. */
const PAGE = 50;
/** A window without a poll for this time is given up. */
const UNUSED_MS = 600_000;

interface RealmFeed {
  readonly window: EventWindow;
  usedAt: number;
  reading: Promise<void> | null;
  /** Whether another read was requested during the read. */
  isStale: boolean;
}

/** An organisation that is followed, once its newest event is known. */
interface Following {
  readonly realm: Promise<RealmFeed>;
  ready: RealmFeed | null;
}

/** Receives new events. */
interface EventReceiver {
  /** Called for the events of an organisation in order. */
  deliver(realmId: number, event: WindowedEvent): void;
  /** Called after some events that were read together. */
  answerWoken(): void;
}

/**
 * Keeps the newest events of the organisations whose queues this gateway serves. A message over Redis starts a read; once
 * a second it looks for events whose message was lost.
 */
@Injectable()
export class EventFollower extends PeriodicService implements OnApplicationBootstrap {
  readonly #realms = new Map<number, Following>();
  protected readonly task = new PeriodicTask(LOOK_EVERY_MS, () => this.#compareHeads(), {
    failure: 'New events were not looked for',
  });
  #types: ReadonlyMap<string, EventType> = new Map();
  #receiver: EventReceiver | undefined;

  constructor(
    private readonly events: EventRepository,
    private readonly discovery: DiscoveryService,
    private readonly pubSub: PubSub,
    private readonly known: KnownHeads,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.pubSub.onMessage(newEvents, (realmId) => this.#readNew(realmId));
    this.#types = typesByName(declaredTypes(this.discovery));
  }

  /** Sets the only receiver of new events. */
  sendTo(receiver: EventReceiver): void {
    this.#receiver = receiver;
  }

  /** The window of an organisation; it begins at the newest event if the organisation was not followed before. */
  async windowOf(realmId: number): Promise<EventWindow> {
    return (await this.#followed(realmId)).window;
  }

  /** The window of an organisation; null if it was not followed before. */
  knownWindowOf(realmId: number): EventWindow | null {
    const realm = this.#realms.get(realmId)?.ready ?? null;
    if (realm === null) return null;
    realm.usedAt = performance.now();
    return realm.window;
  }

  /** Reads all committed events of an organisation into its window. */
  async refresh(realmId: number): Promise<void> {
    await this.#read(realmId, await this.#followed(realmId));
  }

  /** The followed organisations, and the events in their windows. */
  size(): { organisations: number; events: number; bytes: number } {
    const size = { organisations: 0, events: 0, bytes: 0 };
    for (const { ready } of this.#realms.values()) {
      if (ready === null) continue;
      const { events, bytes } = ready.window.size;
      size.organisations += 1;
      size.events += events;
      size.bytes += bytes;
    }
    return size;
  }

  async #followed(realmId: number): Promise<RealmFeed> {
    const following = this.#realms.get(realmId) ?? this.#begin(realmId);
    const realm = await following.realm;
    realm.usedAt = performance.now();
    return realm;
  }

  #begin(realmId: number): Following {
    const following: Following = { realm: this.#follow(realmId), ready: null };
    this.#realms.set(realmId, following);
    following.realm.then(
      (realm) => (following.ready = realm),
      () => this.#realms.delete(realmId),
    );
    return following;
  }

  async #follow(realmId: number): Promise<RealmFeed> {
    const window = new EventWindow(await this.known.firstHeadOf(realmId), this.#types);
    return { window, usedAt: performance.now(), reading: null, isStale: false };
  }

  #readNew(realmId: number): void {
    this.#realms
      .get(realmId)
      ?.realm.then((realm) => this.#read(realmId, realm))
      .catch(() => undefined);
  }

  /** One read at a time; a call during a read makes it read once more. */
  async #read(realmId: number, realm: RealmFeed): Promise<void> {
    if (realm.reading !== null) {
      realm.isStale = true;
      return realm.reading;
    }
    realm.reading = this.#readAll(realmId, realm);
    try {
      await realm.reading;
    } finally {
      realm.reading = null;
    }
  }

  async #readAll(realmId: number, realm: RealmFeed): Promise<void> {
    let isMore: boolean;
    do {
      realm.isStale = false;
      const events = await this.events.after(realmId, realm.window.head, PAGE);
      // In slices: fifty events of large messages have megabytes, and each may be for ten thousand polls. No slice ends
      // between the window and the polls: a poll that ends acknowledges all events of the window.
      await mapInSlices(events, (event) => {
        for (const added of realm.window.add([event])) this.#receiver?.deliver(realmId, added);
      });
      this.#receiver?.answerWoken();
      isMore = events.length === PAGE || this.#isStale(realm);
    } while (isMore);
  }

  /** A method, because TypeScript takes the flag for unchanged since it was cleared. */
  #isStale({ isStale }: RealmFeed): boolean {
    return isStale;
  }

  async #compareHeads(): Promise<void> {
    const now = performance.now();
    const realms = new Map<number, RealmFeed>();
    for (const [realmId, { ready }] of this.#realms) {
      if (ready === null) continue;
      if (now - ready.usedAt > UNUSED_MS) this.#realms.delete(realmId);
      else realms.set(realmId, ready);
    }
    if (realms.size === 0) return;
    // Before the heads are read: a window may get newer events meanwhile.
    const known = new Map([...realms].map(([realmId, { window }]) => [realmId, window.head]));
    const heads = await this.events.compare(known);
    for (const [realmId, head] of heads) {
      const realm = realms.get(realmId);
      if (realm === undefined) continue;
      if (head.isRestored) {
        await this.known.handleRestore(realmId, head);
        this.#realms.delete(realmId);
      } else if (head.position > realm.window.headPosition) await this.#read(realmId, realm);
    }
    await this.known.remember(heads);
  }
}
