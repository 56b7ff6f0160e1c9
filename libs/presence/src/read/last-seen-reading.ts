import { Inject, Injectable } from '@nestjs/common';
import type {
  PresenceReading,
  PresenceTiming,
  PresenceViewer,
  UserPresenceQuestion,
  UserReading,
} from '#contracts';
import { type Clock, CLOCK } from '#core';
import { VisibleUsersRepository } from '#guest-access';
import { LastSeenRepository } from './last-seen.repository.js';
import { hiddenTimes, pictureReachesTo, realmPicture } from './presence-picture.rules.js';
import { PRESENCE_TIMING } from './presence-timing.token.js';

/**
 * What is read of presence while the presence program is away: as PostgreSQL had it some time ago. Whether the server
 * limits guests is known to that program only; here those of an organisation that limits them are limited.
 */
@Injectable()
export class LastSeenReading implements PresenceReading {
  constructor(
    private readonly lastSeen: LastSeenRepository,
    private readonly visible: VisibleUsersRepository,
    @Inject(PRESENCE_TIMING) private readonly timing: PresenceTiming,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** See PresenceReading. Rejects when PostgreSQL is away. */
  async readRealm(viewer: PresenceViewer): Promise<string> {
    const nowMs = this.clock();
    const nowSeconds = nowMs / 1000;
    const seenUsers = await this.#seenBy(viewer);
    const seenSince = pictureReachesTo(nowSeconds);
    const people = await this.lastSeen.ofRealm(viewer.realmId, seenSince, seenUsers);
    const shown = people.map(({ email, sharesPresence, ...times }) => ({
      email,
      ...(sharesPresence ? times : hiddenTimes(times, this.timing, nowSeconds)),
    }));
    return realmPicture(shown, nowMs);
  }

  /** See PresenceReading. Rejects when PostgreSQL is away. */
  async readUser(question: UserPresenceQuestion): Promise<UserReading> {
    const seenUsers = await this.#seenBy(question);
    if (seenUsers?.has(question.askedUserId) === false) return 'notAllowed';
    return (await this.lastSeen.ofUser(question.realmId, question.askedUserId)) ?? 'unknown';
  }

  /** Null for everyone. */
  async #seenBy({ realmId, userId, isGuest }: PresenceViewer): Promise<ReadonlySet<number> | null> {
    if (!isGuest || (await this.visible.seesEveryone(realmId, userId))) return null;
    return new Set([userId, ...(await this.visible.sharingWith(userId))]);
  }
}
