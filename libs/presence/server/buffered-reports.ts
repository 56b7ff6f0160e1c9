import type { PresenceReport } from '#presence/rules';

/** Limit of users. Reports of more users are dropped; the next ping brings another. */
const MAX_BUFFERED_USERS = 200_000;

interface ReportsOfUser {
  readonly visibility: PresenceReport | undefined;
  readonly seen: PresenceReport | undefined;
}

/** Buffers reports while Redis is unavailable: for each user at most one change of visibility and one merged report. */
export class BufferedReports {
  readonly #realms = new Map<number, Map<number, ReportsOfUser>>();
  #size = 0;

  /** The number of users. */
  get size(): number {
    return this.#size;
  }

  /** Returns false if the buffer is full. */
  add(realmId: number, report: PresenceReport): boolean {
    const users = this.#realms.get(realmId) ?? new Map<number, ReportsOfUser>();
    const buffered = users.get(report.userId);
    if (!buffered && this.#size >= MAX_BUFFERED_USERS) return false;
    if (!buffered) this.#size += 1;
    this.#realms.set(realmId, users.set(report.userId, withReport(buffered, report)));
    return true;
  }

  /** The merged report of a user. */
  seenOf(realmId: number, userId: number): PresenceReport | undefined {
    return this.#realms.get(realmId)?.get(userId)?.seen;
  }

  /** Removes and returns the reports of some realms; those of each user are in the order of application. */
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

function withReport(buffered: ReportsOfUser | undefined, report: PresenceReport): ReportsOfUser {
  const visibility = buffered?.visibility;
  if (report.kind === 'merge') {
    const seen = seenSince(visibility, report);
    return { visibility, seen: seen ? withLatestTimes(seen, buffered?.seen) : buffered?.seen };
  }
  // A write that was in flight when Redis failed is buffered after later reports.
  if (visibility && visibility.idleAt > report.idleAt) return { visibility, seen: buffered?.seen };
  return { visibility: report, seen: seenSince(report, buffered?.seen) };
}

/** Going invisible supersedes earlier times. */
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
