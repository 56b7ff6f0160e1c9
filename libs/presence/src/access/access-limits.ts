import { LRUCache } from 'lru-cache';
import { withinDeadline } from '#core';

/** Where access is read from. Rejects when it is away. */
export interface AccessSource {
  seesEveryone(realmId: number, userId: number): Promise<boolean>;
  sharingWith(userId: number): Promise<number[]>;
}

interface Viewer {
  readonly realmId: number;
  readonly userId: number;
  readonly isGuest: boolean;
}

const CACHE_MS = 10_000;
const MOST_VIEWERS = 10_000;

/** A poll does not hang on PostgreSQL. */
const MOST_WAIT_MS = 500;

type Seen = { readonly userIds: ReadonlySet<number> | null };

/** Whose presence a guest may see, where the server limits it. */
export class AccessLimits {
  readonly #seen: LRUCache<number, Seen, Viewer>;

  constructor(
    private readonly isLimited: boolean,
    private readonly source: AccessSource,
  ) {
    this.#seen = new LRUCache({
      max: MOST_VIEWERS,
      ttl: CACHE_MS,
      // While PostgreSQL is away what was last known stays in force.
      allowStaleOnFetchRejection: true,
      fetchMethod: async (_userId, _stale, { context }) => this.#load(context),
    });
  }

  /** The users that a viewer may see; null means all of them. Knowing nothing, only the viewer. */
  async seenBy(viewer: Viewer): Promise<ReadonlySet<number> | null> {
    if (!this.isLimited || !viewer.isGuest) return null;
    const fetched = this.#seen.fetch(viewer.userId, { context: viewer }).catch(() => undefined);
    const seen = await withinDeadline(MOST_WAIT_MS, fetched, () => undefined);
    return seen ? seen.userIds : new Set([viewer.userId]);
  }

  async #load({ realmId, userId }: Viewer): Promise<Seen> {
    if (await this.source.seesEveryone(realmId, userId)) return { userIds: null };
    return { userIds: new Set([userId, ...(await this.source.sharingWith(userId))]) };
  }
}
