import { Inject, Injectable, Optional } from '@nestjs/common';
import { VisibleUsersRepository } from '#directory/guest-access';
import type {
  PresenceReader,
  PresenceRequest,
  PresenceViewer,
  UserPresenceQuery,
  UserReading,
} from '#presence/rpc';
import { type Clock, systemClock } from '#platform/core';
import { UserPresenceRepository, type LastSeenUser } from '#presence/last-seen';
import {
  hiddenTimes,
  historyCutoff,
  type PresenceTiming,
  renderRealmPresence,
} from '#presence/rules';
import { type RegistrationPresence, registrationPresence } from './presence-formats.rules.js';

/** DI token of the PresenceTiming of a gateway. */
export const PRESENCE_TIMING = Symbol('PresenceTiming');

/**
 * Reads presence from PostgreSQL while the presence program is unavailable; it may be old. Only the presence program knows
 * whether the server limits guests. Here, the setting of the organisation limits them.
 */
@Injectable()
export class LastSeenReader implements PresenceReader {
  constructor(
    private readonly lastSeen: UserPresenceRepository,
    private readonly visible: VisibleUsersRepository,
    @Inject(PRESENCE_TIMING) private readonly timing: PresenceTiming,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** See PresenceReader. Rejects when PostgreSQL is unavailable. */
  async readRealm(viewer: PresenceViewer): Promise<string> {
    const nowMs = this.clock();
    const shown = await this.#shownSince(viewer, historyCutoff(nowMs / 1000), nowMs / 1000);
    return renderRealmPresence(shown, nowMs);
  }

  /** The presence of the last days for a registration. Rejects when PostgreSQL is unavailable. */
  async readState(
    viewer: PresenceViewer,
    { format, historyDays }: Pick<PresenceRequest, 'format'> & { readonly historyDays: number },
  ): Promise<RegistrationPresence> {
    const nowMs = this.clock();
    const nowSeconds = nowMs / 1000;
    const seenSince = historyCutoff(nowSeconds, historyDays);
    const shown = historyDays > 0 ? await this.#shownSince(viewer, seenSince, nowSeconds) : [];
    return registrationPresence(shown, format, nowMs);
  }

  async #shownSince(
    viewer: PresenceViewer,
    seenSince: number,
    nowSeconds: number,
  ): Promise<LastSeenUser[]> {
    const visibleUsers = await this.#seenBy(viewer);
    const users = await this.lastSeen.readUsers(viewer.realmId, seenSince, visibleUsers);
    return users.map((user) => ({
      ...user,
      ...(user.sharesPresence ? {} : hiddenTimes(user, this.timing, nowSeconds)),
    }));
  }

  /** See PresenceReader. Rejects when PostgreSQL is unavailable. */
  async readUser(query: UserPresenceQuery): Promise<UserReading> {
    const visibleUsers = await this.#seenBy(query);
    if (visibleUsers?.has(query.askedUserId) === false) return 'notAllowed';
    return (await this.lastSeen.readUser(query.realmId, query.askedUserId)) ?? 'unknown';
  }

  /** The users that a viewer may see; null for everyone. */
  async #seenBy(viewer: PresenceViewer): Promise<ReadonlySet<number> | null> {
    return viewer.isGuest ? this.visible.visibleTo(viewer) : null;
  }
}
