import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { platforms } from '#platform/contracts';
import { CLOCK, type Clock, PeriodicTask } from '#platform/core';
import { Metrics } from '#platform/telemetry';
import { TokenPruneGuard } from '#push/breakers';
import { type CollectedDevices, RemoteCollectionRepository } from '#push/remotes';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const PAGE = 1000;
const MAX_PAGES = 50;
/** How long dead tokens, and those of ended servers and organisations, are kept. */
const KEPT_MS = 30 * DAY_MS;
/** Of the tokens of an app, in a day. */
const MOST_AGED_A_DAY = 0.05;
const HOURS = 24;

/** After so long without a registration a token counts as dead, in milliseconds; 0 for never. */
export type TokenAges = Readonly<Record<(typeof platforms)[number], number>>;

/** DI token of the TokenAges. */
export const TOKEN_AGES = Symbol('TokenAges');

/** Removes expired and stale tokens of servers, once an hour. */
@Injectable()
export class RemoteCollection implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger(RemoteCollection.name);
  readonly #task = new PeriodicTask(HOUR_MS, () => this.collect(), {
    failure: 'A collection of tokens of servers was interrupted',
    logger: this.#logger,
  });
  readonly #collected;

  constructor(
    private readonly rows: RemoteCollectionRepository,
    private readonly pruneGuard: TokenPruneGuard,
    @Inject(TOKEN_AGES) private readonly ages: TokenAges,
    @Inject(CLOCK) private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.#collected = metrics.counter({
      name: 'carillon_push_service_collected_total',
      help: 'Tokens of remote servers that were removed, by the reason.',
      labels: ['platform', 'reason'],
    });
  }

  onApplicationBootstrap(): void {
    this.#task.start();
  }

  onModuleDestroy(): void {
    void this.#task.stop();
  }

  /** One collection. Rejects when PostgreSQL is down. */
  async collect(): Promise<void> {
    const before = new Date(this.clock() - KEPT_MS);
    await this.#remove('expired', (limit) => this.rows.forgetExpired(before, limit));
    await this.#remove('server', (limit) => this.rows.forgetOfDeactivated(before, limit));
    await this.#remove('organisation', (limit) => this.rows.forgetOfDeleted(before, limit));
    await this.rows.forgetRealms(before, PAGE);
    await this.#ageOut();
  }

  async #remove(
    reason: string,
    remove: (limit: number) => Promise<readonly CollectedDevices[]>,
  ): Promise<void> {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const removed = await remove(PAGE);
      for (const { platform, devices } of removed) {
        this.#collected.add({ platform, reason }, devices);
      }
      if (removed.reduce((sum, { devices }) => sum + devices, 0) < PAGE) return;
    }
  }

  /** A share of the tokens of each app: a wrong clock must not remove all of them. */
  async #ageOut(): Promise<void> {
    for (const platform of platforms) {
      const ageMs = this.ages[platform];
      if (ageMs === 0) continue;
      const now = new Date(this.clock());
      const before = new Date(this.clock() - ageMs);
      for (const { app, devices, old } of await this.rows.apps(platform, before)) {
        if (old === 0 || this.#isAlarmed(app || platform)) continue;
        const most = Math.max(1, Math.floor((devices * MOST_AGED_A_DAY) / HOURS));
        const removed = await this.rows.ageOut(
          { platform, app, before, now },
          Math.min(most, PAGE),
        );
        this.#collected.add({ platform, reason: 'aged_out' }, removed);
      }
    }
  }

  #isAlarmed(app: string): boolean {
    return this.pruneGuard.alarms.some(({ appId }) => appId?.startsWith(`${app} of server `));
  }
}
