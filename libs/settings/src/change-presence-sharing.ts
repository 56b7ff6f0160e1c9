import { Inject, Injectable, Logger } from '@nestjs/common';
import { AuthVersionStore } from '#auth';
import type { Caller, PresenceService } from '#contracts';
import { type Clock, CLOCK } from '#core';
import { PRESENCE_SERVICE } from '#presence';
import { SettingRepository } from './setting.repository.js';

/** Of changes that cross, each teller looks again so many times; the last of them has it right. */
const MOST_TELLINGS = 3;

/**
 * Switches on or off whether others see the caller's presence.
 *
 * When it resolves, the setting is stored, every gateway goes by it, and others see the change. Trouble
 * with the presence program fails nothing: its client holds the change and tells it later. Were it lost
 * all the same, reports follow the setting anyhow, so that others see the truth within minutes.
 */
@Injectable()
export class ChangePresenceSharing {
  readonly #logger = new Logger(ChangePresenceSharing.name);

  constructor(
    private readonly settings: SettingRepository,
    private readonly versions: AuthVersionStore,
    @Inject(PRESENCE_SERVICE) private readonly presence: PresenceService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Setting it to what it is changes nothing, and tells nobody. */
  async execute(caller: Caller, isEnabled: boolean): Promise<void> {
    const changed = await this.settings.sharePresence(caller.userId, isEnabled);
    if (changed.length === 0) return;
    // First, so that no gateway brings back who has gone invisible with a report of theirs.
    await this.versions.raiseAll(changed);
    try {
      await this.#tell(caller, isEnabled);
    } catch (error) {
      this.#logger.warn(`Presence was not told of a change of sharing: ${String(error)}`);
    }
  }

  /** Two opposite changes at once may reach presence in the other order than the record. */
  async #tell(caller: Caller, isEnabled: boolean): Promise<void> {
    let isVisible = isEnabled;
    for (let telling = 0; telling < MOST_TELLINGS; telling += 1) {
      await this.presence.changeVisibility({
        realmId: caller.realm.id,
        userId: caller.userId,
        joinedAt: caller.joinedAt,
        isVisible,
        changedAt: this.clock() / 1000,
      });
      const stored = await this.settings.sharesPresence(caller.userId);
      if (stored === isVisible) return;
      isVisible = stored;
    }
  }
}
