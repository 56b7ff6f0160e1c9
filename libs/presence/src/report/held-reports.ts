import type { PresenceReport } from '../state/merge.rules.js';

/** Users whose reports are held at most; beyond, a report is dropped: the next ping brings another. */
const MOST_HELD_USERS = 200_000;

interface HeldOfUser {
  readonly visibility: PresenceReport | undefined;
  readonly seen: PresenceReport | undefined;
}

/** Reports that wait for Redis: of each user at most one change of visibility and one merged report. */
export class HeldReports {
  readonly #realms = new Map<number, Map<number, HeldOfUser>>();
  #size = 0;

  /** The number of users. */
  get size(): number {
    return this.#size;
  }

  /** Returns false when there is no room for another user. */
  hold(realmId: number, report: PresenceReport): boolean {
    const users = this.#realms.get(realmId) ?? new Map<number, HeldOfUser>();
    const held = users.get(report.userId);
    if (!held && this.#size >= MOST_HELD_USERS) return false;
    if (!held) this.#size += 1;
    this.#realms.set(realmId, users.set(report.userId, withReport(held, report)));
    return true;
  }

  /** When a user was seen since Redis went away, if they were and are to be. */
  seenOf(realmId: number, userId: number): PresenceReport | undefined {
    return this.#realms.get(realmId)?.get(userId)?.seen;
  }

  /** Takes everything of some realms out, the reports of each user in the order in which they must be applied. */
  take(isWanted: (realmId: number) => boolean): { realmId: number; reports: PresenceReport[] }[] {
    const taken: { realmId: number; reports: PresenceReport[] }[] = [];
    for (const [realmId, users] of this.#realms) {
      if (!isWanted(realmId)) continue;
      const reports = [...users.values()].flatMap(({ visibility, seen }) =>
        [visibility, seen].filter((report) => report !== undefined),
      );
      taken.push({ realmId, reports });
      this.#realms.delete(realmId);
      this.#size -= users.size;
    }
    return taken;
  }
}

function withReport(held: HeldOfUser | undefined, report: PresenceReport): HeldOfUser {
  const visibility = held?.visibility;
  if (report.kind === 'merge') {
    const seen = seenSince(visibility, report);
    return { visibility, seen: seen ? withLatestTimes(seen, held?.seen) : held?.seen };
  }
  // What was under way when Redis went away is held only once it fails, after what came later.
  if (visibility && visibility.idleAt > report.idleAt) return { visibility, seen: held?.seen };
  return { visibility: report, seen: seenSince(report, held?.seen) };
}

/** Whatever was seen before is superseded by going invisible. */
function seenSince(
  visibility: PresenceReport | undefined,
  seen: PresenceReport | undefined,
): PresenceReport | undefined {
  if (!seen || visibility?.kind !== 'hide') return seen;
  if (seen.idleAt <= visibility.idleAt) return undefined;
  return seen.activeAt <= visibility.idleAt ? { ...seen, activeAt: 0 } : seen;
}

const withLatestTimes = (
  report: PresenceReport,
  other: PresenceReport | undefined,
): PresenceReport => ({
  ...report,
  activeAt: Math.max(report.activeAt, other?.activeAt ?? 0),
  idleAt: Math.max(report.idleAt, other?.idleAt ?? 0),
});
