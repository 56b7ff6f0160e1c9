import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { platformQueue, platforms, pushLanes } from '#contracts';
import { JobQueues } from '#queue';
import { WakeDeliveries } from '../accept/wake-deliveries.js';
import { EnqueueLogout } from '../logout/enqueue-logout.js';
import { ForgetOld } from './forget-old.js';
import { type OverduePage, type Patience, SweepRepository } from './sweep.repository.js';

const PAGE = 500;
const FIRST_SEQUENCE = '0';
/** A promise is hurried along by whoever made it; only one that was not is older than this. */
const PROMISE_AGE_MS = 3_000;
/** After a loss of the queues nothing is waited for but what is being accepted right now. */
const LOST_AGE_MS = 1_000;
/** What waits behind others is not lost: a job may be late by as much as the queue is behind, and again. */
const PATIENCE_PER_AGE = 2;
/** A pass may use at most this part of the time, however much there is to look at. */
const MOST_OF_THE_TIME = 1 / 10;

/** How the sweeper goes about it. */
export interface SweepTiming {
  /** Between two passes. */
  readonly everyMs: number;
  /** What is overdue for longer, in a queue that is not behind, has its job added again. */
  readonly patienceMs: number;
}

/** DI token of the SweepTiming. */
export const SWEEP_TIMING = Symbol('SweepTiming');

/**
 * Adds again the jobs of what PostgreSQL says is still to do. A job that is still in its queue is not
 * added twice, so all this changes is what Redis has lost or never got.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger(Sweeper.name);
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    private readonly ledger: SweepRepository,
    private readonly forgetOld: ForgetOld,
    private readonly wake: WakeDeliveries,
    private readonly enqueueLogout: EnqueueLogout,
    private readonly queues: JobQueues,
    @Inject(SWEEP_TIMING) private readonly timing: SweepTiming,
  ) {}

  onApplicationBootstrap(): void {
    this.#schedule(0);
  }

  onModuleDestroy(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** One pass over everything. Rejects when the database is away. */
  async sweep(): Promise<void> {
    await this.#sweepOutbox();
    await this.#sweepLedger();
    await this.forgetOld.execute();
  }

  #schedule(lastPassMs: number): void {
    if (this.#isStopped) return;
    const pauseMs = Math.max(this.timing.everyMs, lastPassMs / MOST_OF_THE_TIME);
    // Several workers do not sweep in the same moment.
    this.#timer = setTimeout(() => void this.#run(), pauseMs * (0.75 + Math.random() / 2));
  }

  async #run(): Promise<void> {
    const startedAt = performance.now();
    try {
      await this.sweep();
    } catch (error) {
      this.#logger.warn(`A pass was broken off: ${String(error)}`);
    }
    this.#schedule(performance.now() - startedAt);
  }

  async #sweepOutbox(): Promise<void> {
    let afterId: string | undefined = '0';
    while (afterId !== undefined && !this.#isStopped) {
      const page = await this.ledger.promised(PROMISE_AGE_MS, afterId, PAGE);
      await Promise.all(page.map((logout) => this.enqueueLogout.execute(logout)));
      afterId = page.length < PAGE ? undefined : page.at(-1)?.outboxId;
    }
  }

  async #sweepLedger(): Promise<void> {
    const patience = await this.#patience();
    let after: string | null = FIRST_SEQUENCE;
    while (after !== null && !this.#isStopped) {
      const page: OverduePage = await this.ledger.overdue(patience, after, PAGE);
      if (!(await this.wake.again(page.deliveries))) return;
      after = page.next;
    }
  }

  /** For each platform as long as its queues are behind; nothing is added to queues that do not answer. */
  async #patience(): Promise<Patience> {
    if (await this.queues.haveBeenLost().catch(() => false)) {
      return Object.fromEntries(platforms.map((platform) => [platform, LOST_AGE_MS]));
    }
    const entries = platforms.map(async (platform) => {
      const ages = await Promise.all(
        pushLanes.map((lane) => this.queues.oldestWaitingMs(platformQueue(platform, lane))),
      );
      const ageMs = Math.max(...ages.map((age) => age ?? 0));
      return [platform, this.timing.patienceMs + PATIENCE_PER_AGE * ageMs] as const;
    });
    return Object.fromEntries(await Promise.all(entries).catch(() => []));
  }
}
