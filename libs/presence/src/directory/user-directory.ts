import type { Clock } from '#core';
import type { KnownUser } from './user-directory.repository.js';

/** Where users are read from. Rejects when it is away. */
export interface UserSource {
  loadChanged(realmId: number, sinceMs: number): Promise<KnownUser[]>;
}

/** A directory that is polled is brought up to date this often. */
const REFRESH_EVERY_MS = 3000;

/** The stamps of changes come from other machines, and a change is seen only when it is committed. */
const OVERLAP_MS = 30_000;

/** Reads everyone again now and then, for whatever changed without a stamp. */
const FULL_EVERY_MS = 300_000;

/** The users of one realm as PostgreSQL had them a few seconds ago; a poll does not wait for it. */
export class UserDirectory {
  readonly #users = new Map<number, KnownUser>();
  /** Mostly few: whoever is shown is found sooner than among all. */
  readonly #deactivated = new Set<number>();
  #readAtMs = 0;
  #fullyReadAtMs = 0;
  #reading: Promise<void> | undefined;

  constructor(
    private readonly realmId: number,
    private readonly source: UserSource,
    private readonly clock: Clock,
    /** Told of users that were deactivated and are back. */
    private readonly onReactivated: (userIds: readonly number[]) => void,
  ) {}

  /**
   * Resolves when the directory is fit for a poll of `userId`: at once, unless nothing was ever read or
   * that user is new. Never rejects: trouble with PostgreSQL leaves it as it is.
   */
  async ready(userId: number): Promise<void> {
    if (!this.#users.has(userId)) await this.#read();
    // Also when the clock has stepped back: it would be long until it comes to where it was.
    else if (Math.abs(this.clock() - this.#readAtMs) >= REFRESH_EVERY_MS) void this.#read();
  }

  get(userId: number): KnownUser | undefined {
    return this.#users.get(userId);
  }

  /** A user that is not known yet is shown: whoever polls now will not be told of them again. */
  isShown(userId: number): boolean {
    return !this.#deactivated.has(userId);
  }

  #take(user: KnownUser): void {
    this.#users.set(user.userId, user);
    if (user.isActive) this.#deactivated.delete(user.userId);
    else this.#deactivated.add(user.userId);
  }

  #read(): Promise<void> {
    this.#reading ??= this.#load()
      // Stays as it is; the next poll tries again.
      .catch(() => undefined)
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  async #load(): Promise<void> {
    const startedAtMs = this.clock();
    const hasSteppedBack = startedAtMs < this.#readAtMs;
    const isFull = hasSteppedBack || startedAtMs - this.#fullyReadAtMs >= FULL_EVERY_MS;
    const sinceMs = isFull ? 0 : this.#readAtMs - OVERLAP_MS;
    const users = await this.source.loadChanged(this.realmId, sinceMs);
    const reactivated = users.filter((user) => user.isActive && this.#deactivated.has(user.userId));
    for (const user of users) this.#take(user);
    this.#readAtMs = startedAtMs;
    if (isFull) this.#fullyReadAtMs = startedAtMs;
    if (reactivated.length > 0) this.onReactivated(reactivated.map((user) => user.userId));
  }
}
