import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type EventHead, EventRepository, LogRestorations, NO_EVENTS } from '#events/log';
import { QueuesService } from '#events/queues';
import { ToleratedFailures, slicesOf } from '#platform/core';
import { REDIS, type Redis, untilReady } from '#platform/redis';

const KEY = 'carillon:events:heads';
/** The organisations of one statement. */
const MAX_COMPARED = 1000;
/** A start without Redis waits for it no longer. */
const MAX_WAIT_MS = 2000;

/**
 * Detects that PostgreSQL was restored to an earlier state, or that a standby without the last commits became the primary:
 * the newest known event of an organisation is missing, or another one is in its place. Positions are then used for a
 * second time, and clients with the first events would miss the second ones: the queues of the organisation end, and
 * clients register again. Redis keeps the newest events while no gateway runs.
 */
@Injectable()
export class KnownHeads implements OnApplicationBootstrap {
  readonly #logger = new Logger(KnownHeads.name);
  readonly #failures = new ToleratedFailures(KnownHeads.name);
  #isCompared = false;

  constructor(
    private readonly events: EventRepository,
    private readonly queues: QueuesService,
    private readonly restorations: LogRestorations,
    @Inject(REDIS) private readonly redis: Redis,
  ) {}

  /** Compares before this gateway serves requests: later, new events hide that older ones were lost. */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await untilReady(this.redis, MAX_WAIT_MS);
      await this.#compareAll();
    } catch (error) {
      this.#failures.record(error);
    }
  }

  /** Stores the newest events, by organisation, and compares the others if that has failed so far. */
  async remember(heads: ReadonlyMap<number, EventHead>): Promise<void> {
    if (heads.size === 0) return;
    try {
      if (!this.#isCompared) await this.#compareAll();
      const fields = [...heads].map(([realmId, head]) => [String(realmId), textOf(head)] as const);
      await this.redis.hset(KEY, new Map(fields));
    } catch (error) {
      this.#failures.record(error);
    }
  }

  /** The newest event of an organisation that this gateway begins to follow. */
  async firstHeadOf(realmId: number): Promise<EventHead> {
    // Read before the head: another gateway may store a newer one.
    const known = await this.redis.hget(KEY, String(realmId)).catch((error: unknown) => {
      this.#failures.record(error);
      return null;
    });
    const heads = await this.events.compare(new Map([[realmId, headOf(known)]]));
    const head = heads.get(realmId);
    if (head?.isRestored === true) await this.handleRestore(realmId, head);
    return head ?? NO_EVENTS;
  }

  /** Deletes all queues of an organisation that was restored, and stores its newest event. */
  async handleRestore(realmId: number, head: EventHead): Promise<void> {
    this.#logger.warn(
      `PostgreSQL was restored: the event queues of organisation ${realmId} are deleted`,
    );
    this.restorations.notifyRestored(realmId);
    await this.queues.removeAllOfRealm(realmId);
    await this.redis.hset(KEY, String(realmId), textOf(head)).catch((error: unknown) => {
      this.#failures.record(error);
    });
  }

  async #compareAll(): Promise<void> {
    const all = Object.entries(await this.redis.hgetall(KEY));
    const known = all.map(([realmId, text]) => [Number(realmId), headOf(text)] as const);
    for (const slice of slicesOf(known, MAX_COMPARED)) {
      const heads = await this.events.compare(new Map(slice));
      for (const [realmId, head] of heads) {
        if (head.isRestored) await this.handleRestore(realmId, head);
      }
    }
    this.#isCompared = true;
  }
}

/** The form in Redis. The previous release stores the position alone, and makes no comparison with this form. */
const textOf = ({ position, storedAt }: EventHead): string =>
  storedAt === null ? String(position) : `${position} ${storedAt.getTime()}`;

function headOf(text: string | null): EventHead {
  if (text === null) return NO_EVENTS;
  const [position, storedAt] = text.split(' ');
  return {
    position: Number(position),
    storedAt: storedAt === undefined ? null : new Date(Number(storedAt)),
  };
}
