import { LRUCache } from 'lru-cache';
import type { PresenceRequest } from '#contracts';
import type { Clock } from '#core';
import type { UserDirectory } from '../directory/user-directory.js';
import type { Mirror } from '../mirror/mirror.js';
import type { PresenceCounters } from '../presence-counters.js';
import { composeSharedAnswer } from './compose-answer.js';
import { SharedBody } from './shared-body.js';
import {
  cursorOf,
  isReusable,
  poolOf,
  SHARED_FOR_MS,
  sharedWindow,
  untilNextBodyMs,
} from './sharing.rules.js';

/**
 * What the bodies of all realms take together, at most. A body counts two bytes a character: so much it takes where
 * addresses are not Latin; else its compressed forms have room in it. One that is larger is made for each viewer.
 */
const MOST_BYTES = 64 * 1024 * 1024;
const BYTES_PER_CHARACTER = 2;

/** Of so many pools it is known when their last body was made. */
const MOST_POOLS = 10_000;

/** Runs something later; as setTimeout does. */
export type RunLater = (run: () => void, ms: number) => unknown;

/** What bodies of one realm are made from. */
export interface SharedSource {
  readonly realm: {
    /** The mirror, once it has at least what was answered from before. Never rejects. */
    current(): Promise<Mirror | undefined>;
  };
  readonly directory: Pick<UserDirectory, 'get' | 'isStillToRead'>;
}

/** A body that is going to be made, for all who wait for it. */
interface PlannedBody {
  lowestCursor: number;
  readonly body: Promise<SharedBody | null>;
}

/** The bodies of the last second, of all realms. */
export class SharedBodies {
  readonly #bodies = new LRUCache<string, SharedBody>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ answer }) => answer.text.length * BYTES_PER_CHARACTER,
    // What nobody asks for any more must not stay; whether a body is fit for a viewer is decided by the rules.
    ttl: SHARED_FOR_MS,
    ttlAutopurge: true,
  });
  readonly #planned = new Map<string, PlannedBody>();
  readonly #madeAtMs = new LRUCache<string, number>({ max: MOST_POOLS });

  constructor(
    private readonly counters: PresenceCounters,
    private readonly clock: Clock,
    private readonly runLater: RunLater = setTimeout,
  ) {}

  /**
   * A body that tells the viewer everything above their cursor, and maybe more, as of `least` or a later state of the
   * mirror, which is the one there is now. Null when by then there is no mirror that bodies can be made from.
   */
  async of(
    request: PresenceRequest,
    mirror: Mirror,
    least: number,
    source: SharedSource,
  ): Promise<SharedBody | null> {
    const pool = poolOf(request, mirror.position);
    const cursor = cursorOf(request);
    const known = this.#bodies.get(pool);
    const needs = { cursor, revision: least };
    if (known?.mirror === mirror && isReusable(known, needs, this.clock())) {
      this.counters.sharedBodiesReused += 1;
      return known;
    }
    const planned = this.#planned.get(pool);
    if (!planned) return this.#plan(pool, request, source).body;
    planned.lowestCursor = Math.min(planned.lowestCursor, cursor);
    this.counters.sharedBodiesReused += 1;
    return planned.body;
  }

  #plan(pool: string, request: PresenceRequest, source: SharedSource): PlannedBody {
    const waitMs = untilNextBodyMs(this.#madeAtMs.get(pool) ?? null, this.clock());
    const plan: PlannedBody = {
      lowestCursor: cursorOf(request),
      body: this.#whenDue(waitMs, source).then((mirror) => {
        // From here on nothing may wait: a viewer that joined later would get a body from before its own report.
        this.#planned.delete(pool);
        if (mirror?.isProven !== true) return null;
        return this.#make(pool, request, plan.lowestCursor, mirror, source);
      }),
    };
    this.#planned.set(pool, plan);
    return plan;
  }

  async #whenDue(waitMs: number, source: SharedSource): Promise<Mirror | undefined> {
    if (waitMs > 0) {
      await new Promise<void>((resolve) => {
        this.runLater(resolve, waitMs);
      });
    }
    return source.realm.current();
  }

  #make(
    pool: string,
    request: PresenceRequest,
    cursor: number,
    mirror: Mirror,
    { directory }: SharedSource,
  ): SharedBody {
    const nowMs = this.clock();
    const window = sharedWindow(request, cursor, mirror.position, nowMs / 1000);
    const answer = composeSharedAnswer(window, request.format, { mirror, directory }, nowMs);
    const body = new SharedBody(answer, mirror, window.aboveId, nowMs);
    this.#bodies.set(pool, body);
    this.#madeAtMs.set(pool, nowMs);
    this.counters.sharedBodiesMade += 1;
    return body;
  }
}
