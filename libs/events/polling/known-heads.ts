import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { EventRepository, LogRestorations } from '#events/log';
import { QueuesService } from '#events/queues';
import { SparedFailures } from '#platform/core';
import { REDIS, type Redis, untilReady } from '#platform/redis';

const KEY = 'carillon:events:heads';
/** The organisations of one statement. */
const MAX_COMPARED = 1000;
/** A start without Redis waits for it no longer. */
const MAX_WAIT_MS = 2000;

/**
 * Detects that PostgreSQL was restored to an earlier state: the newest event of an organisation is older than one that was
 * read before. Positions are then used for a second time, and clients with the first events would miss the second ones: the
 * queues of the organisation end, and clients register again. Redis keeps the positions while no gateway runs.
 */
@Injectable()
export class KnownHeads implements OnApplicationBootstrap {
  readonly #logger = new Logger(KnownHeads.name);
  readonly #failures = new SparedFailures(KnownHeads.name);
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
      this.#failures.note(error);
    }
  }

  /** Stores the newest positions, by organisation, and compares the others if that has failed so far. */
  async remember(heads: ReadonlyMap<number, number>): Promise<void> {
    if (heads.size === 0) return;
    try {
      if (!this.#isCompared) await this.#compareAll();
      const fields = [...heads].map(([realmId, head]) => [String(realmId), head] as const);
      await this.redis.hset(KEY, new Map(fields));
    } catch (error) {
      this.#failures.note(error);
    }
  }

  async #compareAll(): Promise<void> {
    const all = Object.entries(await this.redis.hgetall(KEY));
    const known = all.map(([realmId, head]) => [Number(realmId), Number(head)] as const);
    for (let start = 0; start < known.length; start += MAX_COMPARED) {
      const page = known.slice(start, start + MAX_COMPARED);
      const heads = await this.events.heads(page.map(([realmId]) => realmId));
      for (const [realmId, head] of page) {
        const current = heads.get(realmId) ?? 0;
        if (current < head) await this.restored(realmId, current);
      }
    }
    this.#isCompared = true;
  }

  /** The position of the newest event, when this gateway begins to follow an organisation. */
  async begin(realmId: number): Promise<number> {
    // Read before the head: another gateway may store a newer one.
    const known = await this.redis.hget(KEY, String(realmId)).catch((error: unknown) => {
      this.#failures.note(error);
      return null;
    });
    const head = await this.events.head(realmId);
    if (Number(known) > head) await this.restored(realmId, head);
    return head;
  }

  /** Ends all queues of an organisation whose newest event is `head` again. */
  async restored(realmId: number, head: number): Promise<void> {
    this.#logger.warn(
      `PostgreSQL has an earlier state of organisation ${realmId} again: its event queues end`,
    );
    this.restorations.announce(realmId);
    await this.queues.removeAllOfRealm(realmId);
    await this.redis.hset(KEY, String(realmId), head).catch((error: unknown) => {
      this.#failures.note(error);
    });
  }
}
