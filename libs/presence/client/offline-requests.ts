import type { PresenceRequest, VisibilityChange } from '#platform/contracts';

/** Limit of users. Requests of more users are dropped; the next ping brings another. */
const MAX_HELD_USERS = 100_000;

interface OfflineOfUser {
  readonly visibility?: VisibilityChange;
  readonly active?: PresenceRequest;
  readonly idle?: PresenceRequest;
}

/** Buffers requests while no presence process can take them: the latest request of each kind for each user. */
export class OfflineRequests {
  readonly #users = new Map<number, OfflineOfUser>();
  #dropped = 0;

  /** The number of users. */
  get size(): number {
    return this.#users.size;
  }

  /** The number of requests dropped because the buffer was full. */
  get dropped(): number {
    return this.#dropped;
  }

  addReport(request: PresenceRequest): void {
    const held = this.#users.get(request.userId);
    const previous = held?.[request.status];
    if (previous && previous.reportedAt >= request.reportedAt) return;
    this.#set(request.userId, { ...held, [request.status]: request });
  }

  addVisibility(change: VisibilityChange): void {
    const held = this.#users.get(change.userId);
    if (held?.visibility && held.visibility.changedAt > change.changedAt) return;
    this.#set(change.userId, { ...held, visibility: change });
  }

  /** Removes some users and returns their requests. */
  take(count: number): OfflineOfUser[] {
    const taken: OfflineOfUser[] = [];
    for (const [userId, held] of this.#users) {
      if (taken.length >= count) break;
      this.#users.delete(userId);
      taken.push(held);
    }
    return taken;
  }

  #set(userId: number, held: OfflineOfUser): void {
    if (this.#users.has(userId) || this.#users.size < MAX_HELD_USERS) {
      this.#users.set(userId, held);
    } else this.#dropped += 1;
  }
}
