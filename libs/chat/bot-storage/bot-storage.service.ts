import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, limitErrors } from '#platform/contracts';
import { Database } from '#platform/database';
import { botStorageErrors } from './bot-storage.errors.js';
import { BotStorageRepository, LARGEST_STORAGE, type Storage } from './bot-storage.repository.js';

const MAX_KEYS = 10_000;

/** The texts that bots keep between their runs. A bot reads and changes only its own; people have none: every method rejects with `botsOnly`. */
@Injectable()
export class BotStorageService {
  constructor(
    private readonly entries: BotStorageRepository,
    private readonly database: Database,
  ) {}

  /**
   * The entries of the caller; with keys only those. Rejects with `keyDoesNotExist` if one is missing, and with
   * `storageTooLarge`.
   */
  async read(caller: Caller, keys?: readonly string[]): Promise<Storage> {
    requireBot(caller);
    const stored = keys?.map(storedKey);
    const found = await this.entries.read(caller.userId, stored);
    if (found === null) {
      throw new ApiError(botStorageErrors.storageTooLarge, { limit: LARGEST_STORAGE });
    }
    if (stored?.some((key) => !Object.hasOwn(found, key)) === true) {
      throw new ApiError(botStorageErrors.keyDoesNotExist);
    }
    return found;
  }

  /** Stores all entries or none; the last of equal keys counts. Rejects with `storageFull` and `accountLimitReached`. */
  async store(caller: Caller, given: Storage): Promise<void> {
    requireBot(caller);
    const entries = Object.entries(given).map(([key, value]) => [storedKey(key), value] as const);
    if (entries.length === 0) return;
    const storage = Object.fromEntries(entries);
    await this.database.transaction(async (transaction) => {
      const { size, count } = await this.entries.store(transaction, caller.userId, storage);
      if (size > LARGEST_STORAGE) {
        throw new ApiError(botStorageErrors.storageFull, { size, limit: LARGEST_STORAGE });
      }
      if (count > MAX_KEYS) {
        const full = { limit: MAX_KEYS, what: 'keys in the storage' };
        throw new ApiError(limitErrors.accountLimitReached, full);
      }
    });
  }

  /** Removes all entries; with keys only those, all or none. Rejects with `keyDoesNotExist` if one is missing. */
  async remove(caller: Caller, keys?: readonly string[]): Promise<void> {
    requireBot(caller);
    if (keys === undefined) {
      await this.entries.removeAll(caller.userId);
      return;
    }
    const distinct = [...new Set(keys.map(storedKey))];
    await this.database.transaction(async (transaction) => {
      const removed = await this.entries.remove(transaction, caller.userId, distinct);
      if (removed < distinct.length) throw new ApiError(botStorageErrors.keyDoesNotExist);
    });
  }
}

/** A key as PostgreSQL stores it: with the replacement character in place of an unpaired surrogate. */
const storedKey = (key: string): string => Buffer.from(key).toString();

function requireBot(caller: Caller): void {
  if (!caller.isBot) throw new ApiError(botStorageErrors.botsOnly);
}
