import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { type Clock, systemClock } from '#platform/core';
import { SettingRepository } from './setting.repository.js';
import { valuesOf } from './settings.rules.js';

/** An account starts or stops sharing its presence. */
export interface SharingChange {
  readonly realmId: number;
  readonly userId: number;
  /** UNIX seconds, as `changedAt`. */
  readonly joinedAt: number;
  readonly isVisible: boolean;
  readonly changedAt: number;
}

/** Publishes to the presence program that an account shows or hides its presence. */
export interface PresenceVisibility {
  changeVisibility(change: SharingChange): Promise<void>;
}

/** DI token of the PresenceVisibility. */
export const PRESENCE_VISIBILITY = Symbol('PresenceVisibility');

/** The maximum number of attempts of one change to publish the stored setting. */
const MAX_ATTEMPTS = 3;

/**
 * Publishes the setting whether others see an account's presence.
 *
 * An outage of the presence program causes no error: its client buffers the change. If the change is lost, later reports
 * apply the setting, so other users see the right state within minutes.
 */
@Injectable()
export class PresenceSharing {
  readonly #logger = new Logger(PresenceSharing.name);

  constructor(
    private readonly settings: SettingRepository,
    @Inject(PRESENCE_VISIBILITY) private readonly presence: PresenceVisibility,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Publishes a stored change of the setting. */
  async publish(caller: Caller, isShared: boolean): Promise<void> {
    try {
      await this.#publish(caller, isShared);
    } catch (error) {
      this.#logger.warn(`A change of presence sharing was not published: ${String(error)}`);
    }
  }

  /** Repeats until presence has the stored value: concurrent changes may reach presence in another order than the database. */
  async #publish(caller: Caller, isShared: boolean): Promise<void> {
    let isVisible = isShared;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await this.presence.changeVisibility({
        realmId: caller.realm.id,
        userId: caller.userId,
        joinedAt: caller.joinedAt,
        isVisible,
        changedAt: this.clock() / 1000,
      });
      const stored = valuesOf(await this.settings.get(caller.userId)).presence_enabled;
      if (stored === isVisible) return;
      isVisible = stored;
    }
  }
}
