import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { PlatformModesStore } from '../control/platform-modes.store.js';
import { ScriptedAnswersStore, type ScriptedAnswer } from '../control/scripted-answers.store.js';
import { DeliveriesStore } from '../inbox/deliveries.store.js';
import type { Attempt } from '../inbox/delivery.js';
import type { PlatformMode } from './platform-mode.js';
import type { WireAnswer } from './wire-answer.js';
import type { WireConnection } from './wire-connection.js';

/** One request to send, as a wire hands it in: what came, and how this provider would answer. */
export interface Exchange {
  readonly attempt: Attempt;
  readonly connection: WireConnection;
  /** The answer that the mode demands of every request; undefined when the mode demands none. */
  readonly demanded: (mode: PlatformMode) => WireAnswer | undefined;
  /** What the provider finds wrong with the request; undefined when it would accept it. */
  readonly refusal: () => Promise<WireAnswer | undefined>;
  readonly scripted: (script: ScriptedAnswer) => WireAnswer;
  readonly accepted: () => WireAnswer;
  readonly send: (answer: WireAnswer) => void;
}

/**
 * Decides what becomes of a request, writes it down, and answers.
 *
 * The record is made when the answer is decided, before any delay: from that moment a real
 * provider shows the notification, whether or not the sender is still there to hear of it. So a
 * sender that gives up on a slow answer and sends again shows up here as the duplicate it causes.
 */
@Injectable()
export class AnswerDesk {
  constructor(
    private readonly modes: PlatformModesStore,
    private readonly scripts: ScriptedAnswersStore,
    private readonly deliveries: DeliveriesStore,
  ) {}

  async handle(exchange: Exchange): Promise<void> {
    const { connection, attempt } = exchange;
    const mode = this.modes.of(attempt.platform);
    connection.requestsInFlight += 1;
    if (mode.mode === 'goaway') connection.sayGoodbye();
    try {
      const obstacle = obstacleOf(mode, connection);
      if (obstacle !== undefined) {
        await this.#fail(exchange, obstacle, mode);
        return;
      }
      const answer = await this.#decide(exchange, mode);
      this.deliveries.record(attempt, answer, new Date());
      await wait(mode);
      // The path may have broken while the answer waited.
      if (!connection.isSilent) exchange.send(answer);
    } finally {
      connection.requestsInFlight -= 1;
    }
  }

  async #fail(exchange: Exchange, obstacle: Obstacle, mode: PlatformMode): Promise<void> {
    const { attempt, connection } = exchange;
    this.deliveries.record(attempt, { status: null, reason: obstacle }, new Date());
    if (obstacle !== 'reset') return;
    await wait(mode);
    connection.drop();
  }

  async #decide(exchange: Exchange, mode: PlatformMode): Promise<WireAnswer> {
    const { platform, token } = exchange.attempt;
    const answer = exchange.demanded(mode) ?? (await exchange.refusal());
    if (answer !== undefined) return answer;
    const script = this.scripts.take(platform, token);
    return script === undefined ? exchange.accepted() : exchange.scripted(script);
  }
}

/** What keeps a request from ever being decided. */
type Obstacle = 'hang' | 'reset' | 'blackhole';

/**
 * In all three cases nothing reaches a phone. `hang`: the request is stuck in front of whatever
 * would have decided. `reset`: the connection ends before it is decided. `blackhole`: the path
 * broke, so that a real provider never sees the request. The sender cannot tell any of them from
 * a lost answer, which is the point.
 */
function obstacleOf({ mode }: PlatformMode, connection: WireConnection): Obstacle | undefined {
  if (connection.isSilent) return 'blackhole';
  return mode === 'hang' || mode === 'reset' ? mode : undefined;
}

/** Waits as long as the mode says; the timer does not keep the process alive. */
async function wait({ delay_ms: delayMs = 0 }: PlatformMode): Promise<void> {
  if (delayMs > 0) await delay(delayMs, undefined, { ref: false });
}
