import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type DeliverResult } from '#contracts';
import { CLOCK, type Clock } from '#core';
import { type Listener, Messages } from '#queue';
import { deliveryJob, type DeliveryChunk } from '../deliver/delivery-jobs.rules.js';
import { AcceptanceRepository } from './acceptance.repository.js';
import { WakeDeliveries } from './wake-deliveries.js';

/** What Apple and Google are asked to keep it for while a phone is off; we keep trying as long. */
const LIFETIME_MS = 86_400_000;

/** DI token: how long to wait for a provider's answer about one device, in milliseconds. */
export const TEST_WAIT_MS = Symbol('TestWaitMs');

/** Who asks: the account, and which of its API keys signed in. */
export interface NotificationCaller {
  readonly userId: number;
  readonly keyGeneration: number;
}

/** Sends a test notification to the caller's own devices. */
@Injectable()
export class SendTestNotification {
  constructor(
    private readonly acceptances: AcceptanceRepository,
    private readonly wake: WakeDeliveries,
    private readonly messages: Messages,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(TEST_WAIT_MS) private readonly waitMs: number,
  ) {}

  /**
   * Without a token: to all devices, and resolves once that is safely kept. With one: resolves when the
   * provider took it, or when it has not said no in time. Rejects with ApiError when the token is not
   * the caller's, or when the provider calls it dead.
   */
  async execute(caller: NotificationCaller, token?: string): Promise<void> {
    // No stored token holds it, and no statement can ask for it.
    if (token?.includes('\0')) throw new ApiError('deviceNotRecognized');
    const now = this.clock();
    const id = randomUUID();
    const chunks = await this.acceptances.accept({
      id,
      userId: caller.userId,
      keyGeneration: caller.keyGeneration,
      token: token ?? null,
      content: { kind: 'test', time: Math.floor(now / 1000) },
      expiresAt: now + LIFETIME_MS,
    });
    if (token === undefined) {
      await this.wake.execute(chunks);
      return;
    }
    if (chunks.length === 0) throw new ApiError('deviceNotRecognized');
    if (await this.#turnsOutDead(id, chunks)) throw new ApiError('deviceNotRecognizedByProvider');
  }

  async #turnsOutDead(id: string, chunks: readonly DeliveryChunk[]): Promise<boolean> {
    const listeners = await this.#listenTo(chunks);
    try {
      if (!(await this.wake.execute(chunks))) return false;
      const heard = await Promise.all(listeners.map((listener) => listener.hear(1, this.waitMs)));
      const results = heard.flat();
      if (results.length === chunks.length) return results.some(hasDeadToken);
      // Word of mouth may be lost; the ledger is not.
      return (await this.acceptances.statesOf(id)).includes('dead_token');
    } finally {
      for (const listener of listeners) listener.close();
    }
  }

  async #listenTo(chunks: readonly DeliveryChunk[]): Promise<Listener[]> {
    const listeners: Listener[] = [];
    try {
      for (const chunk of chunks) {
        listeners.push(await this.messages.listen(deliveryJob(chunk).job.jobId));
      }
    } catch {
      // The ledger is asked instead.
    }
    return listeners;
  }
}

// What comes over a channel is of our own worker's making.
const hasDeadToken = (result: unknown): boolean =>
  Object.values((result as DeliverResult).states).includes('dead_token');
