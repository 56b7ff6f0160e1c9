import { combineEntries, lacks, type PresenceEntry, type PresenceTiming } from '#presence/rules';
import { MinHeap } from './min-heap.js';
import type { RealmReplica } from './realm-replica.js';

/** Ids of removed entries are collected when they exceed this number and the number of entries. */
const MAX_STALE_IDS = 64;

type ReplicaEntries = Pick<RealmReplica, 'get' | 'position'>;

/**
 * Changes that Redis has accepted and the replica does not have yet: another process wrote in between, or the replica was
 * being loaded. Up to one per user of the realm; therefore no operation per change visits all of them.
 */
export class UnappliedChanges {
  readonly #entries = new Map<number, PresenceEntry>();
  /** The users of all entries, and of some removed ones, by the update id that the replica must reach. */
  readonly #byId = new MinHeap<number>();
  /** Users whose entries the replica has skipped. */
  readonly #skipped = new Set<number>();

  constructor(private readonly timing: PresenceTiming) {}

  get size(): number {
    return this.#entries.size;
  }

  /** Whether the replica has skipped a change, which is then lost in Redis. */
  get hasSkipped(): boolean {
    return this.#skipped.size > 0;
  }

  /** 0 without entries. Visits all entries. */
  get highestId(): number {
    // Not Math.max(...ids): a call takes at most about 125,000 arguments.
    let highestId = 0;
    for (const { id } of this.#entries.values()) highestId = Math.max(highestId, id);
    return highestId;
  }

  add(entry: PresenceEntry): void {
    const combined = combineEntries(entry, this.#entries.get(entry.userId), this.timing);
    this.#entries.set(entry.userId, combined);
    // The replica can skip the entry only when it reaches the later id.
    this.#skipped.delete(entry.userId);
    this.#byId.add(combined.id, entry.userId);
    if (this.#byId.size > MAX_STALE_IDS + 2 * this.#entries.size) this.#collectIds();
  }

  get(userId: number): PresenceEntry | undefined {
    return this.#entries.get(userId);
  }

  entries(): Iterable<PresenceEntry> {
    return this.#entries.values();
  }

  /**
   * Discards the changes of some users that the replica has. Returns whether the replica has skipped the change of any user;
   * such a change is lost.
   */
  discardApplied(userIds: Iterable<number>, replica: ReplicaEntries): boolean {
    for (const userId of userIds) this.#discard(userId, replica);
    return this.#findSkipped(replica);
  }

  /** The same for all users, with a new replica. */
  discardAllApplied(replica: ReplicaEntries): boolean {
    this.#skipped.clear();
    this.#collectIds();
    return this.discardApplied(this.#entries.keys(), replica);
  }

  #collectIds(): void {
    this.#byId.clear();
    for (const { userId, id } of this.#entries.values()) this.#byId.add(id, userId);
  }

  #discard(userId: number, replica: ReplicaEntries): void {
    const entry = this.#entries.get(userId);
    if (!entry || lacks(replica.get(userId), entry, this.timing)) return;
    this.#entries.delete(userId);
    this.#skipped.delete(userId);
  }

  #findSkipped(replica: ReplicaEntries): boolean {
    const { position } = replica;
    let userId = this.#byId.takeUpTo(position);
    while (userId !== undefined) {
      this.#discard(userId, replica);
      const entry = this.#entries.get(userId);
      // A later entry of the same user has its own id in the heap.
      if (entry && entry.id <= position) this.#skipped.add(userId);
      userId = this.#byId.takeUpTo(position);
    }
    return this.hasSkipped;
  }
}
