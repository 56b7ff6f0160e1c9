import { Inject, Injectable } from '@nestjs/common';
import type {
  PresenceReading,
  PresenceViewer,
  UserPresenceQuestion,
  UserReading,
} from '#contracts';
import { type Clock, CLOCK } from '#core';
import { VisibleUsersRepository } from '#guest-access';
import { LastSeenRepository } from './last-seen.repository.js';
import { pictureReachesTo, realmPicture } from './presence-picture.rules.js';

/**
 * What is read of presence while the presence program is away: as PostgreSQL had it some time ago. Whether the server
 * limits guests is known to that program only; here those of an organisation that limits them are limited.
 */
@Injectable()
export class LastSeenReading implements PresenceReading {
  constructor(
    private readonly lastSeen: LastSeenRepository,
    private readonly visible: VisibleUsersRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** See PresenceReading. Rejects when PostgreSQL is away. */
  async readRealm(viewer: PresenceViewer): Promise<string> {
    const nowMs = this.clock();
    const seenSince = pictureReachesTo(nowMs / 1000);
    const seenUsers = await this.#seenBy(viewer);
    return realmPicture(await this.lastSeen.ofRealm(viewer.realmId, seenSince, seenUsers), nowMs);
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
