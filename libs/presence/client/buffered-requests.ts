import type { PresenceRequest, VisibilityChange } from '#presence/rpc';

/** Limit of users. Requests of more users are dropped; the next ping brings another. */
const MAX_BUFFERED_USERS = 100_000;

interface RequestsOfUser {
  readonly visibility?: VisibilityChange;
  readonly active?: PresenceRequest;
  readonly idle?: PresenceRequest;
}

/** Buffers requests while no presence process can take them: the latest request of each kind for each user. */
export class BufferedRequests {
  readonly #users = new Map<number, RequestsOfUser>();
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
    const buffered = this.#users.get(request.userId);
    const previous = buffered?.[request.status];
    if (previous && previous.reportedAt >= request.reportedAt) return;
    this.#set(request.userId, { ...buffered, [request.status]: request });
  }

  addVisibility(change: VisibilityChange): void {
    const buffered = this.#users.get(change.userId);
    if (buffered?.visibility && buffered.visibility.changedAt > change.changedAt) return;
    this.#set(change.userId, { ...buffered, visibility: change });
  }

  /** Removes some users and returns their requests. */
  take(count: number): RequestsOfUser[] {
    const taken: RequestsOfUser[] = [];
    for (const [userId, buffered] of this.#users) {
      if (taken.length >= count) break;
      this.#users.delete(userId);
      taken.push(buffered);
    }
    return taken;
  }

  #set(userId: number, buffered: RequestsOfUser): void {
    if (this.#users.has(userId) || this.#users.size < MAX_BUFFERED_USERS) {
      this.#users.set(userId, buffered);
    } else this.#dropped += 1;
  }
}
