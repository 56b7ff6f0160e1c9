import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Platform } from '#contracts';
import { CLOCK, type Clock } from '#core';
import type { Outcome } from '../deliver/outcome-policy.rules.js';
import {
  type AppWatch,
  heardOfToken,
  nothingHeard,
  type RaisedAlarm,
  type TokenNews,
  watchAt,
} from './prune-watch.rules.js';

/** An app whose tokens die in a proportion that nobody believes: none is removed meanwhile. */
export interface AppPruneAlarm {
  readonly platform: Platform;
  /** The APNs topic; null for FCM. */
  readonly appId: string | null;
  /** UNIX milliseconds. */
  readonly since: number;
  /** Accounts with a token called dead, of so many that were heard of, when it was raised. */
  readonly dead: number;
  readonly answers: number;
  /** The same as a part of one. */
  readonly share: number;
}

interface WatchedApp {
  readonly platform: Platform;
  readonly appId: string | null;
  watch: AppWatch;
}

/** The device that an answer is about, and the account that it belongs to. */
export interface AnsweredDevice {
  readonly userId: number;
  readonly platform: Platform;
  readonly appId: string | null;
}

/** Apps name themselves when they register: more than these are not kept in mind at a time. */
const MOST_APPS = 1000;

/**
 * Keeps a wrong topic or project from emptying the registry: stops the removal of an app's tokens while
 * too many of them are called dead, and lifts that again by itself.
 *
 * Accounts are counted, not tokens: one account can register as many made-up tokens as it likes.
 * Each process judges by what it has heard itself.
 */
@Injectable()
export class PruneWatch {
  readonly #logger = new Logger(PruneWatch.name);
  readonly #apps = new Map<string, WatchedApp>();

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Hears that a token is called dead, and tells whether it may be removed. */
  mayPrune(device: AnsweredDevice, outcome: Extract<Outcome, { kind: 'dead_token' }>): boolean {
    return this.#hear(device, outcome.isSuspect ? 'suspect' : 'dead') === null;
  }

  /** Hears that a token of the app lives. */
  heard(device: AnsweredDevice): void {
    this.#hear(device, 'alive');
  }

  get alarms(): readonly AppPruneAlarm[] {
    const now = this.clock();
    return [...this.#apps.values()].flatMap(({ platform, appId, watch }) => {
      const { alarm } = watchAt(watch, now);
      if (alarm === null) return [];
      const { since, dead, answers } = alarm;
      return { platform, appId, since, dead, answers, share: dead / answers };
    });
  }

  #hear({ userId, platform, appId }: AnsweredDevice, news: TokenNews): RaisedAlarm | null {
    const app = this.#appOf(platform, appId);
    const before = app.watch.alarm;
    app.watch = heardOfToken(app.watch, { userId, news }, this.clock());
    const { alarm } = app.watch;
    const name = appId === null ? platform : `${platform} ${appId}`;
    if (before === null && alarm !== null) {
      this.#logger.error(
        `${name}: for ${alarm.dead} of ${alarm.answers} accounts tokens are called dead. None is removed until ` +
          'this is normal again: look at the topic, the project and the environment.',
      );
    } else if (before !== null && alarm === null) {
      this.#logger.log(`${name}: dead tokens are removed again`);
    }
    return alarm;
  }

  #appOf(platform: Platform, appId: string | null): WatchedApp {
    const key = `${platform}:${appId ?? ''}`;
    const known = this.#apps.get(key);
    if (known !== undefined) return known;
    if (this.#apps.size >= MOST_APPS) this.#forgetOne();
    const app = { platform, appId, watch: nothingHeard };
    this.#apps.set(key, app);
    return app;
  }

  #forgetOne(): void {
    const calm = [...this.#apps].find(([, { watch }]) => watch.alarm === null);
    if (calm !== undefined) this.#apps.delete(calm[0]);
  }
}
