import { type Clock, ToleratedFailures, withinDeadline } from '#platform/core';
import { updateIdAt } from '#presence/rules';
import type { DirectoryUser } from './user-directory.repository.js';

/** The source of users that changed in the last `ageMs`; of all users for null. Rejects when it is unavailable. */
export interface UserSource {
  loadChanged(realmId: number, ageMs: number | null): Promise<DirectoryUser[]>;
}

/** The minimum age of a directory that a poll refreshes. */
const REFRESH_EVERY_MS = 3000;

/** A poll waits at most this long for PostgreSQL, and is then answered without it. */
const MAX_WAIT_MS = 500;

/** A change becomes visible only at its commit, after its timestamp. */
const OVERLAP_MS = 30_000;

/** The interval of full reads, for changes without a new timestamp. */
const FULL_EVERY_MS = 300_000;

/** The users of one realm as PostgreSQL had them a few seconds ago. */
export class UserDirectory {
  readonly #users = new Map<number, DirectoryUser>();
  readonly #deactivated = new Set<number>();
  #readAtMs = 0;
  #fullyReadAtMs = 0;
  #reading: Promise<void> | undefined;

  constructor(
    private readonly realmId: number,
    private readonly source: UserSource,
    private readonly clock: Clock,
    /** Called after each load. If it rejects, the next load tries again. */
    private readonly onRead: (directory: UserDirectory) => Promise<void>,
  ) {}

  /**
   * Resolves when the directory knows `userId`: usually at once. For an unknown user, resolves after the directory has been
   * read and published, or after a short deadline. Never rejects: on failure the directory stays as it is.
   */
  async ready(userId: number): Promise<void> {
    if (!this.#users.has(userId)) {
      await withinDeadline(MAX_WAIT_MS, this.#read(), () => undefined);
    }
    // Math.abs: the clock may have stepped back.
    else if (Math.abs(this.clock() - this.#readAtMs) >= REFRESH_EVERY_MS) void this.#read();
  }

  get(userId: number): DirectoryUser | undefined {
    return this.#users.get(userId);
  }

  /** Users with deactivated accounts. */
  get deactivated(): ReadonlySet<number> {
    return this.#deactivated;
  }

  /** Whether a user with this update id may be missing only because the directory is not up to date. */
  isStillToRead(userId: number, updateId: number): boolean {
    return !this.#users.has(userId) && updateId > updateIdAt(this.#readAtMs - OVERLAP_MS);
  }

  #take(user: DirectoryUser): void {
    this.#users.set(user.userId, user);
    if (user.isActive) this.#deactivated.delete(user.userId);
    else this.#deactivated.add(user.userId);
  }

  #read(): Promise<void> {
    this.#reading ??= this.#load()
      // The next poll tries again.
      .catch((error: unknown) => tolerated.record(error))
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  async #load(): Promise<void> {
    const startedAtMs = this.clock();
    const hasSteppedBack = startedAtMs < this.#readAtMs;
    const isFull = hasSteppedBack || startedAtMs - this.#fullyReadAtMs >= FULL_EVERY_MS;
    const ageMs = isFull ? null : startedAtMs - this.#readAtMs + OVERLAP_MS;
    const users = await this.source.loadChanged(this.realmId, ageMs);
    for (const user of users) this.#take(user);
    this.#readAtMs = startedAtMs;
    if (isFull) this.#fullyReadAtMs = startedAtMs;
    await this.onRead(this);
  }
}

/** Shared by the directories of all realms. */
const tolerated = new ToleratedFailures(UserDirectory.name);

/** The directories of all realms that were polled. */
export class UserDirectories {
  readonly #directories = new Map<number, UserDirectory>();

  constructor(
    private readonly source: UserSource,
    private readonly clock: Clock,
    private readonly onRead: (realmId: number, directory: UserDirectory) => Promise<void>,
  ) {}

  of(realmId: number): UserDirectory {
    const known = this.#directories.get(realmId);
    if (known) return known;
    const directory = new UserDirectory(realmId, this.source, this.clock, (read) =>
      this.onRead(realmId, read),
    );
    this.#directories.set(realmId, directory);
    return directory;
  }

  /** Drops the directory of a realm; the next poll of the realm reads it again. */
  forget(realmId: number): void {
    this.#directories.delete(realmId);
  }
}
