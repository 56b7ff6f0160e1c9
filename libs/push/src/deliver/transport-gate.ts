import { Logger } from '@nestjs/common';
import type { Platform } from '#contracts';
import type { Clock } from '#core';

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;
/** While one push tries whether the provider takes it again, the others look again after this. */
const PROBE_MS = 2_000;

/**
 * Stands before one transport of this process, and shuts while its configuration is at fault: what
 * waits before it is not lost and costs no attempt. After a growing pause one push goes through to try.
 */
export class TransportGate {
  readonly #logger: Logger;
  #shut: { readonly reason: string; readonly pauseMs: number; reopensAt: number } | undefined;

  constructor(
    platform: Platform,
    private readonly clock: Clock,
  ) {
    this.#logger = new Logger(`Transport ${platform}`);
  }

  /** Why it is shut; undefined while it is open. */
  get fault(): string | undefined {
    return this.#shut?.reason;
  }

  /** Lets a push pass (then null), or tells when to come again, in UNIX milliseconds. */
  admit(): number | null {
    if (this.#shut === undefined) return null;
    const now = this.clock();
    if (now < this.#shut.reopensAt) return this.#shut.reopensAt;
    this.#shut.reopensAt = now + PROBE_MS;
    return null;
  }

  /** The provider says that our configuration is at fault; resolves with when to come again. */
  shut(reason: string): number {
    const previous = this.#shut;
    if (previous === undefined) {
      this.#logger.error(`Stopped, the configuration is at fault: ${reason}. Nothing is lost.`);
    }
    const pauseMs =
      previous === undefined ? FIRST_PAUSE_MS : Math.min(previous.pauseMs * 2, LONGEST_PAUSE_MS);
    // Answers to what was under way when it shut are old news, and do not make the pause grow.
    const isNews = previous === undefined || this.clock() >= previous.reopensAt - PROBE_MS;
    if (isNews) this.#shut = { reason, pauseMs, reopensAt: this.clock() + pauseMs };
    return this.#shut?.reopensAt ?? this.clock();
  }

  /** The provider gave an answer that is not about our configuration. */
  open(): void {
    if (this.#shut !== undefined) this.#logger.log('Sending again');
    this.#shut = undefined;
  }
}
