import type { PresenceRequest, VisibilityChange } from '#presence/rpc';
import { JOINED_AT, nowSeconds, type PresenceRealm, type PresenceTimes } from './presence-realm.js';
import { differences, type PresenceState, type StateDifference } from './presence-viewer.js';

/** Far enough after the last report for a report to count. */
const STEP_SECONDS = 60;

/**
 * The expected state at the end: the requests of the users of a realm, each a step later than the previous one of its
 * user, and their results.
 */
export class ExpectedPresence {
  readonly #times = new Map<number, PresenceTimes>();
  readonly #hidden = new Set<number>();
  readonly #at = new Map<number, number>();
  readonly #beginsAt = nowSeconds() - 86_400;

  constructor(private readonly realm: PresenceRealm) {}

  get state(): PresenceState {
    return this.#times;
  }

  isHidden(userId: number): boolean {
    return this.#hidden.has(userId);
  }

  /**
   * The users whose received state is wrong. The active time of an invisible user may be older than the real one: the
   * last report before going invisible is not always shown.
   */
  differencesFrom(state: PresenceState): StateDifference[] {
    return differences(state, this.#times).filter(
      ({ userId, received, is }) =>
        !this.isHidden(userId) ||
        received?.idle_timestamp !== is.idle_timestamp ||
        received.active_timestamp > is.active_timestamp,
    );
  }

  /** The next report of a user, visible or not. */
  report(userId: number, isActive: boolean): PresenceRequest {
    const at = this.#later(userId);
    const isVisible = !this.isHidden(userId);
    if (isVisible) {
      const before = this.#times.get(userId)?.active_timestamp ?? JOINED_AT;
      this.#times.set(userId, { active_timestamp: isActive ? at : before, idle_timestamp: at });
    }
    const status = isActive ? 'active' : 'idle';
    return this.realm.request(userId, { status, reportedAt: at, pingOnly: true, isVisible });
  }

  /** Makes a visible user invisible, and an invisible one visible. */
  toggle(userId: number): VisibilityChange {
    const at = this.#later(userId);
    const isVisible = this.#hidden.delete(userId);
    if (!isVisible) this.#hidden.add(userId);
    const before = this.#times.get(userId)?.active_timestamp ?? JOINED_AT;
    this.#times.set(
      userId,
      isVisible
        ? { active_timestamp: at, idle_timestamp: at }
        : { active_timestamp: Math.min(before, at - 391), idle_timestamp: at - 320 },
    );
    return this.realm.visibility(userId, isVisible, at);
  }

  #later(userId: number): number {
    const at = (this.#at.get(userId) ?? this.#beginsAt) + STEP_SECONDS;
    this.#at.set(userId, at);
    return at;
  }
}
