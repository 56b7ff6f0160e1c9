import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { PlatformModesStore } from '../control/platform-modes.store.js';
import { ScriptedAnswersStore, type ScriptedAnswer } from '../control/scripted-answers.store.js';
import { DeliveriesStore } from '../inbox/deliveries.store.js';
import type { Attempt } from '../inbox/delivery.js';
import type { PlatformMode } from './platform.js';
import type { HttpAnswer } from './http-messages.js';
import type { ClientConnection } from './client-connection.js';

/** One request to send, and how its provider would answer. */
interface Exchange {
  readonly attempt: Attempt;
  readonly connection: ClientConnection;
  /** The answer of the mode to every request; undefined if the mode does not decide. */
  readonly ofMode: (mode: PlatformMode) => HttpAnswer | undefined;
  /** The provider's refusal; undefined if the request is valid. */
  readonly refusal: () => Promise<HttpAnswer | undefined>;
  readonly scripted: (script: ScriptedAnswer) => HttpAnswer;
  readonly accepted: () => HttpAnswer;
  readonly send: (answer: HttpAnswer) => void;
}

/**
 * Decides the answer to a request, records it, and sends it.
 *
 * The record is written when the answer is decided, before any delay: a real provider shows the notification from
 * then on, even if the sender has disconnected. So a sender that repeats a slow request causes a recorded
 * duplicate.
 */
@Injectable()
export class AnswerSender {
  constructor(
    private readonly modes: PlatformModesStore,
    private readonly scripts: ScriptedAnswersStore,
    private readonly deliveries: DeliveriesStore,
  ) {}

  async handle(exchange: Exchange): Promise<void> {
    const { connection, attempt } = exchange;
    const mode = this.modes.of(attempt.platform);
    connection.requestsInFlight += 1;
    if (mode.mode === 'goaway') connection.goAway();
    try {
      const obstacle = obstacleOf(mode, connection);
      if (obstacle !== undefined) {
        await this.#fail(exchange, obstacle, mode);
        return;
      }
      const answer = await this.#decide(exchange, mode);
      this.deliveries.record(attempt, answer, new Date());
      await wait(mode);
      // The connection may have fallen silent during the delay.
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

  async #decide(exchange: Exchange, mode: PlatformMode): Promise<HttpAnswer> {
    const { platform, token } = exchange.attempt;
    const answer = exchange.ofMode(mode) ?? (await exchange.refusal());
    if (answer !== undefined) return answer;
    const script = this.scripts.take(platform, token);
    return script === undefined ? exchange.accepted() : exchange.scripted(script);
  }
}

/** Why a request is never decided. */
type Obstacle = 'hang' | 'reset' | 'blackhole';

/**
 * In all three cases nothing reaches a phone. `hang`: the request is never decided. `reset`: the connection ends
 * before the decision. `blackhole`: the network path is broken, so that a real provider would not receive the
 * request. For the sender all of them look like a lost answer.
 */
function obstacleOf({ mode }: PlatformMode, connection: ClientConnection): Obstacle | undefined {
  if (connection.isSilent) return 'blackhole';
  return mode === 'hang' || mode === 'reset' ? mode : undefined;
}

/** Waits for the delay of the mode; the timer does not keep the process alive. */
async function wait({ delay_ms: delayMs = 0 }: PlatformMode): Promise<void> {
  if (delayMs > 0) await delay(delayMs, undefined, { ref: false });
}
