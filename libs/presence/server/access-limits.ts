import { LRUCache } from 'lru-cache';
import type { PresenceViewer } from '#presence/rpc';
import { ToleratedFailures, withinDeadline } from '#platform/core';

/** The source of access data. Rejects when it is unavailable. */
export interface AccessSource {
  /** The ids of the users that a guest may see; null for everyone. */
  visibleTo(viewer: PresenceViewer): Promise<ReadonlySet<number> | null>;
}

/** The limits of a viewer who cannot see everyone. */
export interface ViewLimits {
  readonly visibleUsers: ReadonlySet<number>;
  /** The host of the substitute addresses of all other users; null: other users are hidden. */
  readonly substituteHost: string | null;
}

const CACHE_MS = 10_000;
const MAX_VIEWERS = 10_000;
/** The users of all viewers together. A set takes about 30 bytes for each, and a guest may share a channel with all. */
const MAX_USERS = 2_000_000;

/** A poll waits at most this long for PostgreSQL. */
const MAX_WAIT_MS = 500;

/** An object, because the cache cannot hold null. Null: everyone. */
type VisibleUsers = { readonly userIds: ReadonlySet<number> | null };

/**
 * Determines the users that a guest may see. If the server limits presence, other users are hidden. Otherwise their times
 * are shown under a substitute address, so that they cannot be identified.
 */
export class AccessLimits {
  readonly #visibleUsers: LRUCache<number, VisibleUsers, PresenceViewer>;
  readonly #tolerated = new ToleratedFailures(AccessLimits.name);

  constructor(
    private readonly limitsPresence: boolean,
    private readonly source: AccessSource,
  ) {
    this.#visibleUsers = new LRUCache({
      max: MAX_VIEWERS,
      maxSize: MAX_USERS,
      sizeCalculation: ({ userIds }) => 1 + (userIds?.size ?? 0),
      ttl: CACHE_MS,
      // While PostgreSQL is unavailable, the last known limits stay in force.
      allowStaleOnFetchRejection: true,
      // The cache ends a fetch whose entry makes room for another one.
      ignoreFetchAbort: true,
      fetchMethod: async (_userId, _stale, { context }) => {
        try {
          return { userIds: await this.source.visibleTo(context) };
        } catch (error) {
          this.#tolerated.record(error);
          throw error;
        }
      },
    });
  }

  /**
   * The limits of an answer for a viewer; null without limits. While the limits of a guest are unknown, the guest sees only
   * the own presence.
   */
  async limitsFor(
    viewer: PresenceViewer,
    { showsAddresses }: { readonly showsAddresses: boolean },
  ): Promise<ViewLimits | null> {
    if (!viewer.isGuest || !(this.limitsPresence || showsAddresses)) return null;
    // The cache has logged the error.
    const fetched = this.#visibleUsers
      .fetch(viewer.userId, { context: viewer })
      .catch(() => undefined);
    const seen = await withinDeadline(MAX_WAIT_MS, fetched, () => undefined);
    const visibleUsers = seen ? seen.userIds : new Set([viewer.userId]);
    if (visibleUsers === null) return null;
    const substituteHost = this.limitsPresence ? null : (viewer.substituteHost ?? null);
    return { visibleUsers, substituteHost };
  }
}

/** Whether a user is hidden from a viewer. */
export const isHiddenFrom = (userId: number, limits: ViewLimits | null): boolean =>
  limits !== null && limits.substituteHost === null && !limits.visibleUsers.has(userId);

/**
 * The host of the substitute address under which a viewer sees a user; null if the viewer sees the user's own address.
 */
export const substituteHostOf = (userId: number, limits: ViewLimits | null): string | null =>
  limits === null || limits.visibleUsers.has(userId) ? null : limits.substituteHost;
