import { LRUCache } from 'lru-cache';
import type { PresenceRequest } from '#contracts';
import type { PresenceCounters } from '../presence-counters.js';
import { composeSharedAnswer, type SharedSources } from './compose-answer.js';
import { SharedBody } from './shared-body.js';
import { isReusable, SHARED_FOR_MS, sharedScope } from './sharing.rules.js';

/**
 * What the bodies of all realms take together, at most. A body counts two bytes a character: so much it takes where
 * addresses are not Latin; else its compressed forms have room in it. One that is larger is made for each viewer.
 */
const MOST_BYTES = 64 * 1024 * 1024;
const BYTES_PER_CHARACTER = 2;

/** The bodies of the last second, of all realms. */
export class SharedBodies {
  readonly #bodies = new LRUCache<string, SharedBody>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ answer }) => answer.text.length * BYTES_PER_CHARACTER,
    // What nobody asks for any more must not stay; whether a body is fit for a viewer is decided by the rules.
    ttl: SHARED_FOR_MS,
    ttlAutopurge: true,
  });

  constructor(private readonly counters: PresenceCounters) {}

  /** A body that tells the viewer everything above their cursor, and maybe more; `nowMs` is now. */
  of(
    request: Pick<PresenceRequest, 'realmId' | 'format' | 'lastUpdateId' | 'historyLimitDays'>,
    sources: SharedSources,
    nowMs: number,
  ): SharedBody {
    const { mirror } = sources;
    const { key, window } = sharedScope(request, mirror.position, nowMs / 1000);
    const known = this.#bodies.get(key);
    if (known?.mirror === mirror && isReusable(known, request.lastUpdateId ?? -1, nowMs)) {
      this.counters.sharedBodiesReused += 1;
      return known;
    }
    const answer = composeSharedAnswer(window, request.format, sources, nowMs);
    const body = new SharedBody(answer, mirror, nowMs);
    this.#bodies.set(key, body);
    this.counters.sharedBodiesMade += 1;
    return body;
  }
}
