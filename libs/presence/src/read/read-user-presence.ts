import { Inject, Injectable } from '@nestjs/common';
import {
  ApiError,
  type Caller,
  type PresenceReading,
  type PresenceTiming,
  roles,
} from '#contracts';
import { type Clock, CLOCK } from '#core';
import { PRESENCE_SERVICE } from '../presence-client.module.js';
import { LastSeenReading } from './last-seen-reading.js';
import { PersonRepository } from './person.repository.js';
import { hiddenTimes, type UserPicture, userPicture } from './presence-picture.rules.js';
import { PRESENCE_TIMING } from './presence-timing.token.js';

/** Tells when one user was seen: from the presence program's memory or, while that is away, from last seen. */
@Injectable()
export class ReadUserPresence {
  constructor(
    private readonly people: PersonRepository,
    @Inject(PRESENCE_SERVICE) private readonly presence: PresenceReading,
    private readonly lastSeen: LastSeenReading,
    @Inject(PRESENCE_TIMING) private readonly timing: PresenceTiming,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Throws `noSuchUser` unless there is an account in use of this id or visible address, `noPresenceOfBots`,
   * `insufficientPermission` for a guest who may not see them, and `noPresenceData` where nothing was ever
   * reported, or the organisation has switched presence off.
   */
  async execute(caller: Caller, idOrEmail: string): Promise<UserPicture> {
    const person = await this.people.find(caller.realm.id, idOrEmail);
    if (person === null) throw new ApiError('noSuchUser');
    if (person.isBot) throw new ApiError('noPresenceOfBots');
    const unknown = () => new ApiError('noPresenceData', { user: idOrEmail });
    if (caller.realm.isPresenceDisabled) throw unknown();
    const question = {
      realmId: caller.realm.id,
      userId: caller.userId,
      isGuest: caller.role >= roles.guest,
      askedUserId: person.userId,
    };
    const reading = await this.presence
      .readUser(question)
      .catch(() => this.lastSeen.readUser(question));
    if (reading === 'notAllowed') throw new ApiError('insufficientPermission');
    if (reading === 'unknown') throw unknown();
    const nowSeconds = this.clock() / 1000;
    const times = person.sharesPresence ? reading : hiddenTimes(reading, this.timing, nowSeconds);
    return userPicture(times, this.timing, nowSeconds);
  }
}
