import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { JobQueues } from '#queue';
import { WakeDeliveries } from '../accept/wake-deliveries.js';
import { EnqueueLogout } from '../logout/enqueue-logout.js';
import { SweepRepository } from './sweep.repository.js';

const PAGE = 500;
/** A promise is hurried along by whoever made it; only one that was not is older than this. */
const PROMISE_AGE_MS = 3_000;
/** After a loss of the queues nothing is waited for but what is being accepted right now. */
const LOST_AGE_MS = 1_000;
/** How long ended notifications can be asked about. */
const RETENTION_MS = 7 * 86_400_000;
/** A pass may use at most this part of the time, however much there is to look at. */
const MOST_OF_THE_TIME = 1 / 10;

/** How the sweeper goes about it. */
export interface SweepTiming {
  /** Between two passes. */
  readonly everyMs: number;
  /** What has been pending for longer has its job added again: longer than a push can be under way. */
  readonly pendingAgeMs: number;
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
    await this.#forgetOld();
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
    const areLost = await this.queues.haveBeenLost().catch(() => false);
    const ageMs = areLost ? LOST_AGE_MS : this.timing.pendingAgeMs;
    let page = await this.ledger.pending(ageMs, null, PAGE);
    while ((await this.wake.execute(page.chunks)) && page.next !== null && !this.#isStopped) {
      page = await this.ledger.pending(ageMs, page.next, PAGE);
    }
  }

  async #forgetOld(): Promise<void> {
    let forgotten = PAGE;
    while (forgotten === PAGE && !this.#isStopped) {
      forgotten = await this.ledger.forget(RETENTION_MS, PAGE);
    }
  }
}
