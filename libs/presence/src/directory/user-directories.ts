import type { Clock } from '#core';
import { UserDirectory, type UserSource } from './user-directory.js';

/** The directory of each realm that was polled. */
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

  /** Forgets the directory of a realm; it is read again when the realm is polled. */
  forget(realmId: number): void {
    this.#directories.delete(realmId);
  }
}
