import { type Clock, withinDeadline } from '#core';
import type { KnownUser } from './user-directory.repository.js';

/** Where users are read from. Rejects when it is away. */
export interface UserSource {
  loadChanged(realmId: number, sinceMs: number): Promise<KnownUser[]>;
}

/** A directory that is polled is brought up to date this often. */
const REFRESH_EVERY_MS = 3000;

/** A poll does not wait longer than this for PostgreSQL; it is answered without. */
const MOST_WAIT_MS = 500;

/** The stamps of changes come from other machines, and a change is seen only when it is committed. */
const OVERLAP_MS = 30_000;

/** Reads everyone again now and then, for whatever changed without a stamp. */
const FULL_EVERY_MS = 300_000;

/** Update ids are microseconds. */
const MICROSECONDS_PER_MS = 1000;

/** The users of one realm as PostgreSQL had them a few seconds ago; a poll does not wait for it. */
export class UserDirectory {
  readonly #users = new Map<number, KnownUser>();
  readonly #deactivated = new Set<number>();
  #readAtMs = 0;
  #fullyReadAtMs = 0;
  #reading: Promise<void> | undefined;

  constructor(
    private readonly realmId: number,
    private readonly source: UserSource,
    private readonly clock: Clock,
    /** Told of each reading. What it rejects with is left to the next one. */
    private readonly onRead: (directory: UserDirectory) => Promise<void>,
  ) {}

  /**
   * Resolves when the directory is fit for a poll of `userId`: at once, unless nothing was ever read or
   * that user is new; then as soon as it has been read and that been taken in, or soon when it cannot be.
   * Never rejects: trouble with PostgreSQL leaves it as it is.
   */
  async ready(userId: number): Promise<void> {
    if (!this.#users.has(userId)) {
      await withinDeadline(MOST_WAIT_MS, this.#read(), () => undefined);
    }
    // Also when the clock has stepped back: it would be long until it comes to where it was.
    else if (Math.abs(this.clock() - this.#readAtMs) >= REFRESH_EVERY_MS) void this.#read();
  }

  get(userId: number): KnownUser | undefined {
    return this.#users.get(userId);
  }

  /** Those whose accounts are out of use. */
  get deactivated(): ReadonlySet<number> {
    return this.#deactivated;
  }

  /** Whether somebody of whom nothing is known may be there all the same, who changed at this update id. */
  isStillToRead(userId: number, updateId: number): boolean {
    return (
      !this.#users.has(userId) && updateId > (this.#readAtMs - OVERLAP_MS) * MICROSECONDS_PER_MS
    );
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
    for (const user of users) this.#take(user);
    this.#readAtMs = startedAtMs;
    if (isFull) this.#fullyReadAtMs = startedAtMs;
    await this.onRead(this);
  }
}
