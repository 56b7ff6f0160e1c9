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

  /** Takes everything out, the reports of each user in the order in which they must be applied. */
  takeAll(): { realmId: number; reports: PresenceReport[] }[] {
    const taken = [...this.#realms].map(([realmId, users]) => ({
      realmId,
      reports: [...users.values()].flatMap(({ visibility, seen }) =>
        [visibility, seen].filter((report) => report !== undefined),
      ),
    }));
    this.#realms.clear();
    this.#size = 0;
    return taken;
  }
}

function withReport(held: HeldOfUser | undefined, report: PresenceReport): HeldOfUser {
  if (report.kind !== 'merge') {
    // Whatever was seen before is superseded by going invisible.
    const seen = report.kind === 'hide' ? undefined : held?.seen;
    return { visibility: report, seen };
  }
  const seen = held?.seen;
  return {
    visibility: held?.visibility,
    seen: {
      ...report,
      activeAt: Math.max(report.activeAt, seen?.activeAt ?? 0),
      idleAt: Math.max(report.idleAt, seen?.idleAt ?? 0),
    },
  };
}
