import { Inject, Injectable, Optional } from '@nestjs/common';
import { roleErrors } from '#directory/roles';
import { userErrors } from '#directory/users';
import { ApiError, type Caller } from '#platform/contracts';
import type { PresenceReader } from '#presence/rpc';
import { type Clock, systemClock } from '#platform/core';
import { PRESENCE_SERVICE } from '#presence/client';
import {
  hiddenTimes,
  type PresenceTiming,
  type UserPresenceResponse,
  renderRealmPresence,
  renderUserPresence,
} from '#presence/rules';
import { presenceErrors } from './presence.errors.js';
import { LastSeenReader, PRESENCE_TIMING } from './last-seen-reader.js';
import { AskedUserLookup } from './asked-user-lookup.js';
import { reportUnexpectedFailure } from './presence-failures.js';
import { PresenceViewers } from './presence-viewers.js';

/** Reads presence from the presence program or, while that is unavailable, from PostgreSQL. */
@Injectable()
export class PresenceReadingService {
  constructor(
    private readonly viewers: PresenceViewers,
    private readonly users: AskedUserLookup,
    @Inject(PRESENCE_SERVICE) private readonly presence: PresenceReader,
    private readonly lastSeen: LastSeenReader,
    @Inject(PRESENCE_TIMING) private readonly timing: PresenceTiming,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /**
   * The presence of the caller's organisation, as finished JSON. It is empty if the organisation has disabled presence, or
   * while both the presence program and PostgreSQL are unavailable.
   */
  async readRealm(caller: Caller): Promise<string> {
    const empty = () => renderRealmPresence([], this.clock());
    if (caller.realm.isPresenceDisabled) return empty();
    const viewer = this.viewers.of(caller);
    return this.presence
      .readRealm(viewer)
      .catch((error: unknown) => {
        reportUnexpectedFailure(error);
        return this.lastSeen.readRealm(viewer);
      })
      .catch((error: unknown) => {
        reportUnexpectedFailure(error);
        return empty();
      });
  }

  /**
   * The presence of one user. Throws `noSuchUser` unless an active account has this id, or this address as the caller sees
   * it; `noPresenceOfBots`; `insufficientPermission` for a guest who cannot see the user; and `noPresenceData` for a user
   * without any report, or if the organisation has disabled presence.
   */
  async readUser(
    caller: Caller,
    idOrEmail: string,
  ): Promise<{ readonly server_timestamp: number; readonly presence: UserPresenceResponse }> {
    const viewer = this.viewers.of(caller);
    const user = await this.users.find(viewer, idOrEmail);
    if (user === null) throw new ApiError(userErrors.noSuchUser);
    if (user.isBot) throw new ApiError(presenceErrors.noPresenceOfBots);
    const noData = () => new ApiError(presenceErrors.noPresenceData, { user: idOrEmail });
    if (caller.realm.isPresenceDisabled) throw noData();
    const query = { ...viewer, askedUserId: user.userId };
    const reading = await this.presence.readUser(query).catch((error: unknown) => {
      reportUnexpectedFailure(error);
      return this.lastSeen.readUser(query);
    });
    if (reading === 'notAllowed') throw new ApiError(roleErrors.insufficientPermission);
    if (reading === 'unknown') throw noData();
    const nowSeconds = this.clock() / 1000;
    const times = user.sharesPresence ? reading : hiddenTimes(reading, this.timing, nowSeconds);
    return {
      server_timestamp: nowSeconds,
      presence: renderUserPresence(times, this.timing, nowSeconds),
    };
  }
}
