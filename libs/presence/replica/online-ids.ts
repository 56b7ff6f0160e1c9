import { comesOnline, type PresenceEntry, type PresenceTiming } from '#presence/rules';
import type { RealmReplica } from './realm-replica.js';

/** When the users of a realm came online, as update ids. */
export class OnlineIds {
  readonly #ids = new Map<number, number>();
  #unknownUpTo = 0;
  #onOnline: () => void = () => undefined;

  constructor(private readonly timing: PresenceTiming) {}

  /** Sets the only listener for users who come online. */
  onOnline(listener: () => void): void {
    this.#onOnline = listener;
  }

  /** Records a change of the replica. */
  record(before: PresenceEntry | undefined, after: PresenceEntry): void {
    if (this.#add(before, after)) this.#onOnline();
  }

  /** Records the changes between two replicas. Without a complete previous one, nothing is known of earlier changes. */
  recordReload(
    previous: Pick<RealmReplica, 'isComplete' | 'get'> | undefined,
    replica: Pick<RealmReplica, 'position' | 'entries'>,
  ): void {
    if (previous?.isComplete !== true) {
      this.#ids.clear();
      this.#unknownUpTo = replica.position;
      return;
    }
    const cameOnline = replica
      .entries()
      .filter((entry) => this.#add(previous.get(entry.userId), entry));
    if (cameOnline.length > 0) this.#onOnline();
  }

  /**
   * The update id with which a user came online. If that is not known, a later one: the user may be announced once more to
   * readers who have not seen that id.
   */
  idOf({ userId, id }: PresenceEntry): number {
    return this.#ids.get(userId) ?? Math.min(id, this.#unknownUpTo);
  }

  /** Returns whether the user came online with the change. */
  #add(before: PresenceEntry | undefined, after: PresenceEntry): boolean {
    if (before?.id === after.id || !comesOnline(before, after, this.timing)) return false;
    this.#ids.set(after.userId, after.id);
    return true;
  }
}
