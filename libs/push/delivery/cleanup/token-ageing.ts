import { Inject, Injectable } from '@nestjs/common';
import { type PhonePlatform, phonePlatforms } from '#push/jobs';
import { isAlarmOfApp, TokenPruneGuard } from '#push/breakers';
import { PushActivityStore } from '#push/observability';
import type { AgedApp, OldTokens } from '#push/tokens';
import { maxAgedInHour } from './token-ageing.rules.js';

const PAGE = 1000;

/** The time without a registration after which a token counts as dead, in milliseconds; 0 for never. */
export type TokenAges = Readonly<Record<PhonePlatform, number>>;

/** DI token of the TokenAges. */
export const TOKEN_AGES = Symbol('TokenAges');

/** Stored tokens that end by their age. */
export interface AgeingTokens {
  /** The apps of the tokens of a platform; those registered before `before` are old. */
  apps(platform: PhonePlatform, before: Date): Promise<AgedApp[]>;
  /** Ends the oldest of the tokens, as if their provider had called them dead; resolves with their number. */
  ageOut(old: OldTokens, limit: number): Promise<number>;
}

/** Ends old tokens: a share of those of each app, because a wrong clock must not end all of them. */
@Injectable()
export class TokenAgeing {
  constructor(
    private readonly pruneGuard: TokenPruneGuard,
    private readonly activity: PushActivityStore,
    @Inject(TOKEN_AGES) private readonly ages: TokenAges,
  ) {}

  /**
   * Ends old tokens, those of this hour of the day; none of an app while a worker has an alarm for it. `now` is the time of
   * the database in UNIX milliseconds. `count` gets their number. Rejects when a store is down.
   */
  async run(
    tokens: AgeingTokens,
    now: number,
    count: (platform: PhonePlatform, aged: number) => void,
  ): Promise<void> {
    const alarmKeys = await this.#alarmKeys(now);
    for (const platform of phonePlatforms) {
      const ageMs = this.ages[platform];
      if (ageMs === 0) continue;
      const before = new Date(now - ageMs);
      for (const { app, devices, old } of await tokens.apps(platform, before)) {
        const appId = app === '' ? null : app;
        if (alarmKeys.some((key) => isAlarmOfApp(key, { platform, appId }))) continue;
        let left = Math.min(old, maxAgedInHour(devices, now));
        while (left > 0) {
          const limit = Math.min(left, PAGE);
          const aged = await tokens.ageOut({ platform, app, before, now: new Date(now) }, limit);
          count(platform, aged);
          left = aged < limit ? 0 : left - aged;
        }
      }
    }
  }

  /** Each worker sees the answers to its own pushes only. */
  async #alarmKeys(now: number): Promise<string[]> {
    const workers = await this.activity.workers.recent(now);
    const reported = workers.flatMap((worker) => worker.pruneAlarms);
    return [...reported, ...this.pruneGuard.alarms].map(({ key }) => key);
  }
}
