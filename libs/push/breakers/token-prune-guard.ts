import { Injectable, Logger, Optional } from '@nestjs/common';
import type { Platform } from '#push/jobs';
import { type Clock, systemClock } from '#platform/core';
import type { Outcome } from '#push/providers';
import { pruneAlarmKey, type WatchedApp } from './prune-alarm-key.rules.js';
import {
  addTokenAnswer,
  type AppHistory,
  emptyHistory,
  historyAt,
  type RaisedAlarm,
  type TokenState,
} from './token-prune-guard.rules.js';

/** An app with so many dead tokens that none is removed. */
export interface AppPruneAlarm {
  /** The name of the app. */
  readonly key: string;
  readonly platform: Platform;
  /** UNIX milliseconds. */
  readonly since: number;
  /** The number of accounts with a dead token when the alarm was raised. */
  readonly dead: number;
  /** The number of accounts with an answer then; one with a living and a dead token counts twice. */
  readonly answers: number;
}

interface KeptApp {
  readonly key: string;
  readonly platform: Platform;
  history: AppHistory;
}

/** The device that an answer is about: its app and its owner. */
export interface AnsweredDevice extends WatchedApp {
  /**
   * Counts once, however many tokens it has: the account of the device. At the push service the device itself, where an
   * alarm concerns one server only.
   */
  readonly ownerId: number;
}

/** Clients name their app when they register: apps without an alarm are removed beyond this. */
const MAX_APPS = 1000;

/**
 * Keeps a wrong topic or project from emptying the registry: stops the removal of an app's tokens while too many
 * are reported dead, and allows it again when the answers are normal.
 *
 * Accounts are counted, not tokens: one account can register any number of made-up tokens. Each process counts the
 * answers that it gets itself.
 */
@Injectable()
export class TokenPruneGuard {
  readonly #logger = new Logger(TokenPruneGuard.name);
  readonly #apps = new Map<string, KeptApp>();

  constructor(@Optional() private readonly clock: Clock = systemClock) {}

  /** Records a dead token, and returns whether it may be removed. */
  allowPrune(device: AnsweredDevice, outcome: Extract<Outcome, { kind: 'dead_token' }>): boolean {
    return this.#record(device, outcome.isSuspect ? 'suspect' : 'dead') === null;
  }

  /** Records a token that is alive. */
  recordAlive(device: AnsweredDevice): void {
    this.#record(device, 'alive');
  }

  get alarms(): readonly AppPruneAlarm[] {
    const now = this.clock();
    return [...this.#apps.values()].flatMap(({ key, platform, history }) => {
      const { alarm } = historyAt(history, now);
      if (alarm === null) return [];
      const { since, dead, answers } = alarm;
      return { key, platform, since, dead, answers };
    });
  }

  #record(device: AnsweredDevice, state: TokenState): RaisedAlarm | null {
    const app = this.#appOf(device);
    const before = app.history.alarm;
    const answer = { ownerId: device.ownerId, state };
    app.history = addTokenAnswer(app.history, answer, this.clock());
    const { alarm } = app.history;
    if (before === null && alarm !== null) {
      this.#logger.error(
        `${app.key}: the provider reports dead tokens for ${alarm.dead} of ${alarm.answers} accounts. None is removed ` +
          'until this is normal again: look at the topic, the project and the environment.',
      );
    } else if (before !== null && alarm === null) {
      this.#logger.log(`${app.key}: dead tokens are removed again`);
    }
    return alarm;
  }

  #appOf(device: AnsweredDevice): KeptApp {
    const key = pruneAlarmKey(device);
    const known = this.#apps.get(key);
    if (known !== undefined) return known;
    if (this.#apps.size >= MAX_APPS) this.#removeOne();
    const app = { key, platform: device.platform, history: emptyHistory };
    this.#apps.set(key, app);
    return app;
  }

  #removeOne(): void {
    const calm = [...this.#apps].find(([, { history }]) => history.alarm === null);
    if (calm !== undefined) this.#apps.delete(calm[0]);
  }
}
