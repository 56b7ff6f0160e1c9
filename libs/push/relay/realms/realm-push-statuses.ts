import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EventLog } from '#events/log';
import { Database, type Session, type Transaction } from '#platform/database';
import {
  type ChangedRealmStatus,
  type RealmPushStatus,
  RealmUploadRepository,
} from './realm-upload.repository.js';

const MAX_REMEMBERED = 1000;
const REMEMBERED_MS = 60_000;

/** Stores whether the push service sends for the organisations, with the events of changes. */
@Injectable()
export class RealmPushStatuses {
  readonly #logger = new Logger(RealmPushStatuses.name);
  /** By UUID, as JSON. Another process may have stored another status meanwhile. */
  readonly #stored = new LRUCache<string, string>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  constructor(
    private readonly uploads: RealmUploadRepository,
    private readonly log: EventLog,
    private readonly database: Database,
  ) {}

  /** Null before the first answer of the service about the organisation. */
  read(realmId: number, snapshot: Session) {
    return this.uploads.status(realmId, snapshot);
  }

  /** Stores that the service has all organisations, with their changes up to this one; the next upload is in `repeatMs`. */
  async storeUploaded(
    statuses: readonly RealmPushStatus[],
    { change, repeatMs }: { readonly change: number; readonly repeatMs: number },
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await this.uploads.succeed(transaction, change, repeatMs);
      this.#append(transaction, await this.uploads.store(transaction, statuses));
    });
  }

  /** Stores the status of one organisation, as an answer of the service has it; anything else is ignored. */
  async storeAnswer(realmUuid: string, given: unknown): Promise<void> {
    const status = realmStatusOf(realmUuid, given);
    const text = JSON.stringify(status);
    if (status === null || this.#stored.get(realmUuid) === text) return;
    // Before it is stored: each push of a request tells its answer, and they end together.
    this.#stored.set(realmUuid, text);
    try {
      await this.database.transaction(async (transaction) => {
        if (status.canPush) await this.uploads.recordSuccess(transaction, REMEMBERED_MS);
        this.#append(transaction, await this.uploads.store(transaction, [status]));
      });
    } catch (error) {
      this.#stored.delete(realmUuid);
      throw error;
    }
  }

  /** The service does not send for these organisations, or for any of them when null. */
  async switchOff(realmIds: readonly number[] | null): Promise<void> {
    this.#stored.clear();
    await this.database.transaction(async (transaction) => {
      const changed = await this.uploads.switchOff(transaction, realmIds);
      if (changed.length > 0) {
        this.#logger.warn(`The push service does not send for ${changed.length} organisations`);
      }
      this.#append(transaction, changed);
    });
  }

  #append(transaction: Transaction, changed: readonly ChangedRealmStatus[]): void {
    for (const { realmId, canPush, endsAt } of changed) {
      const end = endsAt === null ? null : Math.floor(endsAt.getTime() / 1000);
      const changes = [
        ['push_notifications_enabled', canPush],
        ['push_notifications_enabled_end_timestamp', end],
      ] as const;
      for (const [property, value] of changes) {
        this.log.append(transaction, {
          realmId,
          type: 'realm',
          body: { op: 'update', property, value },
          audience: { everyone: 'all' },
        });
      }
    }
  }
}

/** The statuses in the answer to an upload; other members are ignored. */
export const realmStatusesIn = (realms: unknown): RealmPushStatus[] =>
  typeof realms === 'object' && realms !== null
    ? Object.entries(realms).flatMap(([uuid, given]) => realmStatusOf(uuid, given) ?? [])
    : [];

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
const MAX_SECONDS = 100_000_000_000;

function realmStatusOf(uuid: string, given: unknown): RealmPushStatus | null {
  if (typeof given !== 'object' || given === null || !('can_push' in given)) return null;
  if (typeof given.can_push !== 'boolean' || !UUID.test(uuid)) return null;
  const end = 'expected_end_timestamp' in given ? given.expected_end_timestamp : null;
  const isTime = typeof end === 'number' && end > 0 && end < MAX_SECONDS;
  return { uuid, canPush: given.can_push, endsAt: isTime ? new Date(end * 1000) : null };
}
