import { Inject, Injectable } from '@nestjs/common';
import { VisibleUsersRepository } from '#directory/guest-access';
import type {
  PresenceReading,
  PresenceTiming,
  PresenceViewer,
  UserPresenceQuestion,
  UserReading,
} from '#platform/contracts';
import { type Clock, CLOCK } from '#platform/core';
import { LastSeenRepository } from '#presence/last-seen';
import { hiddenTimes, historyCutoff, renderRealmPresence } from '#presence/rules';

/** DI token of the PresenceTiming of a gateway. */
export const PRESENCE_TIMING = Symbol('PresenceTiming');

/**
 * Reads presence from PostgreSQL while the presence program is unavailable; it may be old. Only the presence program knows
 * whether the server limits guests. Here, the setting of the organisation limits them.
 */
@Injectable()
export class LastSeenReading implements PresenceReading {
  constructor(
    private readonly lastSeen: LastSeenRepository,
    private readonly visible: VisibleUsersRepository,
    @Inject(PRESENCE_TIMING) private readonly timing: PresenceTiming,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** See PresenceReading. Rejects when PostgreSQL is unavailable. */
  async readRealm(viewer: PresenceViewer): Promise<string> {
    const nowMs = this.clock();
    const nowSeconds = nowMs / 1000;
    const visibleUsers = await this.#seenBy(viewer);
    const seenSince = historyCutoff(nowSeconds);
    const people = await this.lastSeen.ofRealm(viewer.realmId, seenSince, visibleUsers);
    const shown = people.map(({ email, sharesPresence, ...times }) => ({
      email,
      ...(sharesPresence ? times : hiddenTimes(times, this.timing, nowSeconds)),
    }));
    return renderRealmPresence(shown, nowMs);
  }

  /** See PresenceReading. Rejects when PostgreSQL is unavailable. */
  async readUser(question: UserPresenceQuestion): Promise<UserReading> {
    const visibleUsers = await this.#seenBy(question);
    if (visibleUsers?.has(question.askedUserId) === false) return 'notAllowed';
    return (await this.lastSeen.ofUser(question.realmId, question.askedUserId)) ?? 'unknown';
  }

  /** The users that a viewer may see; null for everyone. */
  async #seenBy({ realmId, userId, isGuest }: PresenceViewer): Promise<ReadonlySet<number> | null> {
    if (!isGuest || (await this.visible.seesEveryone(realmId, userId))) return null;
    return new Set([userId, ...(await this.visible.sharingWith(userId))]);
  }
}
