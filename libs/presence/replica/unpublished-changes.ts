import {
  applyReport,
  type PresenceEntry,
  type PresenceReport,
  type PresenceTiming,
} from '#presence/rules';
import type { RealmReplica } from './realm-replica.js';

/** Writes reports to Redis. Resolves with false if Redis has lost the realm; rejects when Redis is unavailable. */
type WriteReports = (reports: readonly PresenceReport[]) => Promise<boolean>;

/**
 * Changes that Redis possibly does not have yet:
 * - users who went invisible; they are shown as invisible from the start, also during an outage of Redis;
 * - users whose entries need a new id; see usersToRepublish.
 */
export class UnpublishedChanges {
  readonly #hides = new Map<number, PresenceReport>();
  readonly #republished = new Set<number>();

  constructor(private readonly timing: PresenceTiming) {}

  get size(): number {
    return this.#hides.size + this.#republished.size;
  }

  /** The changes to invisible that are not published yet. */
  get hides(): PresenceReport[] {
    return [...this.#hides.values()];
  }

  addRepublished(userId: number): void {
    this.#republished.add(userId);
  }

  /** Adds a `hide`, or removes it for a later `show`. `stored` is the entry of the replica. Ignores late changes. */
  record(change: PresenceReport, stored: PresenceEntry | undefined): void {
    const hiddenAt = this.#hides.get(change.userId)?.idleAt;
    if (change.kind === 'hide') {
      const isNews = change.idleAt > Math.max(hiddenAt ?? 0, stored?.hiddenAt ?? 0);
      if (isNews) this.#hides.set(change.userId, change);
    } else if (hiddenAt !== undefined && change.idleAt >= hiddenAt) {
      this.#hides.delete(change.userId);
    }
  }

  /** Removes the pending `hide` of a user whose entry in the replica has it, or a later change. */
  discardApplied({ userId, hiddenAt }: PresenceEntry): void {
    const hide = this.#hides.get(userId);
    if (hide !== undefined && hiddenAt >= hide.idleAt) this.#hides.delete(userId);
  }

  /** The same for all users, with a new replica. */
  discardAllApplied(replica: Pick<RealmReplica, 'get'>): void {
    for (const userId of this.#hides.keys()) {
      const entry = replica.get(userId);
      if (entry !== undefined) this.discardApplied(entry);
    }
  }

  /** The entry as it is shown. */
  applyTo(entry: PresenceEntry): PresenceEntry {
    const hide = this.#hides.get(entry.userId);
    if (!hide || entry.hiddenAt >= hide.idleAt) return entry;
    return { ...entry, ...applyReport(entry, hide, this.timing) };
  }

  /** Writes all changes. A `hide` stays until the replica has it, other changes until `write` succeeds. */
  async publish(replica: RealmReplica | undefined, write: WriteReports): Promise<void> {
    const userIds = [...this.#republished];
    const republished = userIds
      .map((userId) => replica?.get(userId))
      .filter((entry) => entry !== undefined)
      .map((entry): PresenceReport => ({ ...entry, kind: 'republish' }));
    const reports = [...republished, ...this.#hides.values()];
    if (reports.length > 0 && !(await write(reports))) return;
    for (const userId of userIds) this.#republished.delete(userId);
  }
}
