import type { PresenceTiming } from '#platform/contracts';
import { comesOnline, type PresenceEntry } from '#presence/rules';

/** When the users of a realm came online, as update ids. */
export class Arrivals {
  readonly #ids = new Map<number, number>();
  #unknownUpTo = 0;

  constructor(private readonly timing: PresenceTiming) {}

  /** Records a change; returns whether the user came online with it. */
  record(before: PresenceEntry | undefined, after: PresenceEntry): boolean {
    if (before?.id === after.id || !comesOnline(before, after, this.timing)) return false;
    this.#ids.set(after.userId, after.id);
    return true;
  }

  /** Nothing is known of the changes up to this id. */
  startAt(id: number): void {
    this.#ids.clear();
    this.#unknownUpTo = id;
  }

  /**
   * The update id with which a user came online. If that is not known, a later one: the user may be announced once more to
   * readers who have not seen that id.
   */
  idOf({ userId, id }: PresenceEntry): number {
    return this.#ids.get(userId) ?? Math.min(id, this.#unknownUpTo);
  }
}
