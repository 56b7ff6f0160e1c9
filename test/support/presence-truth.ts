import type { PresenceRequest, VisibilityChange } from '#contracts';
import { JOINED_AT, nowSeconds, type PresenceRealm, type PresenceTimes } from './presence-realm.js';
import { differences, type Picture, type PictureDifference } from './presence-viewer.js';

/** Far enough on for a report to count. */
const STEP_SECONDS = 60;

/**
 * What everybody should see in the end: the requests that the people of a realm make, each a step later in that
 * user's life than the one before, and what must come of them.
 */
export class PresenceTruth {
  readonly #times = new Map<number, PresenceTimes>();
  readonly #hidden = new Set<number>();
  readonly #at = new Map<number, number>();
  readonly #beginsAt = nowSeconds() - 86_400;

  constructor(private readonly realm: PresenceRealm) {}

  get picture(): Picture {
    return this.#times;
  }

  isHidden(userId: number): boolean {
    return this.#hidden.has(userId);
  }

  /**
   * Of whom a picture tells something else. How long ago hidden users were active may look longer than it is: what they
   * did just before is not always told any more.
   */
  deniedBy(picture: Picture): PictureDifference[] {
    return differences(picture, this.#times).filter(
      ({ userId, told, is }) =>
        !this.isHidden(userId) ||
        told?.idle_timestamp !== is.idle_timestamp ||
        told.active_timestamp > is.active_timestamp,
    );
  }

  /** The next report of a user, who may be invisible. */
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

  /** Hides a user who is visible, or shows one who is not. */
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
