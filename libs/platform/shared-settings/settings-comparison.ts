import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { SharedSettings } from '#platform/config';
import {
  type Clock,
  type HealthCheck,
  isWithinClockTolerance,
  PeriodicTask,
  VERSION,
} from '#platform/core';
import { clockText } from './clock.rules.js';
import { differenceText, settingDifferences } from './setting-differences.rules.js';
import type { SettingsReportStore } from './settings-report.js';

const COMPARE_MS = 10_000;
/** The connection to Redis is open by then. An operator may ask `carillon doctor` as soon as the programs are ready. */
const FIRST_COMPARISON_MS = 1000;

/**
 * Reports the shared settings and the clock of this program, at its start and every ten seconds, and compares the settings
 * with those of the other programs. A setting that differs is in the log, once, and a warning of readiness; a wrong clock is
 * a warning too.
 */
export class SettingsComparison implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('Settings');
  readonly #id = randomUUID();
  readonly #startedAt: number;
  readonly #task = new PeriodicTask(COMPARE_MS, () => this.compare(), {
    failure: 'The settings of the programs were not compared',
    logger: this.#logger,
  });
  /** Empty while the clock is right. */
  #clockText = '';
  /** Empty while the programs agree. */
  #difference = '';
  #loggedSettings = '';

  constructor(
    private readonly program: string,
    private readonly settings: SharedSettings,
    private readonly store: Pick<SettingsReportStore, 'forget' | 'now' | 'recent' | 'report'>,
    private readonly clock: Clock,
  ) {
    this.#startedAt = clock();
  }

  readonly healthCheck: HealthCheck = {
    name: 'settings',
    isWarning: true,
    check: async () => {
      if (this.#difference !== '') throw new Error(this.#difference);
    },
  };

  readonly clockCheck: HealthCheck = {
    name: 'clock',
    isWarning: true,
    check: async () => {
      if (this.#clockText !== '') throw new Error(this.#clockText);
    },
  };

  onApplicationBootstrap(): void {
    this.#task.start(FIRST_COMPARISON_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.#task.stop();
    await this.store.forget(this.#id).catch(() => undefined);
  }

  /** Rejects while Redis is down; the last result then stays. */
  async compare(): Promise<void> {
    const before = this.clock();
    const now = await this.store.now();
    const clockAheadMs = Math.round((before + this.clock()) / 2 - now);
    this.#clockText = isWithinClockTolerance(clockAheadMs) ? '' : clockText(clockAheadMs);
    await this.store.report({
      id: this.#id,
      program: this.program,
      release: VERSION,
      host: hostname(),
      pid: process.pid,
      startedAt: this.#startedAt,
      reportedAt: before,
      clockAheadMs,
      settings: this.settings,
    });
    const differences = settingDifferences(await this.store.recent(before));
    const own = differences.filter(({ setting }) => setting in this.settings);
    this.#difference = own.map(differenceText).join('. ');
    const settings = own.map(({ setting }) => setting).join();
    if (settings === this.#loggedSettings) return;
    this.#loggedSettings = settings;
    if (settings === '') this.#logger.log('The programs share their settings again');
    else this.#logger.warn(this.#difference);
  }
}
