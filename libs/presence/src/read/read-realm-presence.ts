import { Inject, Injectable } from '@nestjs/common';
import { type Caller, type PresenceReading, roles } from '#contracts';
import { type Clock, CLOCK } from '#core';
import { PRESENCE_SERVICE } from '../presence-client.module.js';
import { LastSeenReading } from './last-seen-reading.js';
import { realmPicture } from './presence-picture.rules.js';

/** Tells who of an organisation was seen when, to people and bots. */
@Injectable()
export class ReadRealmPresence {
  constructor(
    @Inject(PRESENCE_SERVICE) private readonly presence: PresenceReading,
    private readonly lastSeen: LastSeenReading,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The finished JSON text of the answer, from the presence program's memory or, while that is away, from last seen.
   * Nobody is in it where the organisation has switched presence off, and while PostgreSQL is away too.
   */
  async execute(caller: Caller): Promise<string> {
    const nobody = () => realmPicture([], this.clock());
    if (caller.realm.isPresenceDisabled) return nobody();
    const viewer = {
      realmId: caller.realm.id,
      userId: caller.userId,
      isGuest: caller.role >= roles.guest,
    };
    return this.presence
      .readRealm(viewer)
      .catch(() => this.lastSeen.readRealm(viewer))
      .catch(nobody);
  }
}
