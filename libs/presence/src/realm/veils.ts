import type { PresenceTiming } from '#contracts';
import { applyReport, type PresenceReport } from '../state/merge.rules.js';
import type { PresenceEntry } from '../state/presence-entry.js';

/**
 * Who of a realm has gone invisible without the mirror having it yet: while Redis is away that may take long. What
 * is told of them is what they asked for all the same.
 */
export class Veils {
  readonly #hides = new Map<number, PresenceReport>();

  constructor(private readonly timing: PresenceTiming) {}

  /** What Redis is still to be told. */
  get waiting(): PresenceReport[] {
    return [...this.#hides.values()];
  }

  /** Takes a `show` or `hide`; `stored` is what the mirror has of the user. One that is late changes nothing. */
  note(change: PresenceReport, stored: PresenceEntry | undefined): void {
    const veiledAt = this.#hides.get(change.userId)?.idleAt;
    if (change.kind === 'hide') {
      const isNews = change.idleAt > Math.max(veiledAt ?? 0, stored?.hiddenAt ?? 0);
      if (isNews) this.#hides.set(change.userId, change);
    } else if (veiledAt !== undefined && change.idleAt >= veiledAt) {
      this.#hides.delete(change.userId);
    }
  }

  /** What is told in place of an entry. A veil falls as soon as an entry knows of the change, or of a later one. */
  over(entry: PresenceEntry): PresenceEntry {
    const shown = this.shown(entry);
    if (shown === entry) this.#hides.delete(entry.userId);
    return shown;
  }

  /** The same of an entry that the mirror does not have: no veil falls by it. */
  shown(entry: PresenceEntry): PresenceEntry {
    const hide = this.#hides.get(entry.userId);
    if (!hide || entry.hiddenAt >= hide.idleAt) return entry;
    return { ...entry, ...applyReport(entry, hide, this.timing) };
  }
}
