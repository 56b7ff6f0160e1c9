import type { PresenceRequest, VisibilityChange } from '#contracts';

/** Users whose requests are held at most; beyond, they are dropped: the next ping brings another. */
const MOST_HELD_USERS = 100_000;

interface HeldOfUser {
  readonly visibility?: VisibilityChange;
  readonly active?: PresenceRequest;
  readonly idle?: PresenceRequest;
}

/** What no presence process could be told: of each user the latest request of each sort. */
export class HeldRequests {
  readonly #users = new Map<number, HeldOfUser>();
  #dropped = 0;

  /** The number of users. */
  get size(): number {
    return this.#users.size;
  }

  /** Requests that there was no room for, since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  holdReport(request: PresenceRequest): void {
    const held = this.#users.get(request.userId);
    const previous = held?.[request.status];
    if (previous && previous.reportedAt >= request.reportedAt) return;
    this.#set(request.userId, { ...held, [request.status]: request });
  }

  holdVisibility(change: VisibilityChange): void {
    const held = this.#users.get(change.userId);
    if (held?.visibility && held.visibility.changedAt > change.changedAt) return;
    this.#set(change.userId, { ...held, visibility: change });
  }

  /** Takes out some users, each with what is held of them. */
  take(count: number): HeldOfUser[] {
    const taken: HeldOfUser[] = [];
    for (const [userId, held] of this.#users) {
      if (taken.length >= count) break;
      this.#users.delete(userId);
      taken.push(held);
    }
    return taken;
  }

  #set(userId: number, held: HeldOfUser): void {
    if (this.#users.has(userId) || this.#users.size < MOST_HELD_USERS) {
      this.#users.set(userId, held);
    } else this.#dropped += 1;
  }
}
