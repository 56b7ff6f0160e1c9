import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { PlatformModesStore } from '../control/platform-modes.store.js';
import { ScriptedAnswersStore, type ScriptedAnswer } from '../control/scripted-answers.store.js';
import { DeliveriesStore } from '../inbox/deliveries.store.js';
import { type Attempt, isAccepted } from '../inbox/delivery.js';
import type { PlatformMode } from './platform.js';
import { htmlPage, type HttpAnswer } from './http-messages.js';
import type { ClientConnection } from './client-connection.js';

/** One request to send, and how its provider would answer. */
interface Exchange {
  readonly attempt: Attempt;
  readonly connection: ClientConnection;
  /** For how long the provider keeps the push for a phone that is off. */
  readonly timeToLiveSeconds: number;
  /** The client is off: the provider keeps the push, and hands it over later. */
  readonly isHeld?: boolean;
  /** The answer of the mode to every request; undefined if the mode does not decide. */
  readonly ofMode: (mode: PlatformMode) => HttpAnswer | undefined;
  /** The provider's refusal; undefined if the request is valid. */
  readonly refusal: () => Promise<HttpAnswer | undefined>;
  readonly scripted: (script: ScriptedAnswer) => HttpAnswer;
  readonly accepted: () => HttpAnswer;
  readonly send: (answer: HttpAnswer) => void;
  /** Ends the request without an answer: its stream, or over HTTP/1.1 the connection. */
  readonly abort: () => void;
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
      const { answer, script = {} } = await this.#decide(exchange, mode);
      const isSent = script.no_answer === undefined;
      const { status, reason } = isSent ? answer : { status: null, reason: script.no_answer };
      const fate = fateOf(answer, exchange, script);
      const isHeld = isSent && isAccepted(status) && exchange.isHeld === true;
      const outcome = { status, reason: isHeld ? 'held' : reason, ...fate };
      this.deliveries.record(attempt, outcome, new Date());
      await wait(mode);
      await wait(script);
      if (script.no_answer === 'reset') exchange.abort();
      // The connection may have fallen silent during the delay.
      if (isSent && !connection.isSilent) exchange.send(answer);
    } finally {
      connection.requestsInFlight -= 1;
    }
  }

  async #fail(exchange: Exchange, obstacle: Obstacle, mode: PlatformMode): Promise<void> {
    const { attempt, connection } = exchange;
    const shown = mode.shown ?? false;
    const outcome = { status: null, reason: obstacle, shown, expired: false, delay_ms: 0 };
    this.deliveries.record(attempt, outcome, new Date());
    if (obstacle !== 'reset') return;
    await wait(mode);
    connection.drop();
  }

  async #decide(
    exchange: Exchange,
    mode: PlatformMode,
  ): Promise<{ readonly answer: HttpAnswer; readonly script?: Script }> {
    const { platform, token } = exchange.attempt;
    const refused = exchange.ofMode(mode) ?? (await exchange.refusal());
    if (refused !== undefined) return { answer: refused };
    const script = this.scripts.take(platform, token);
    if (script === undefined) return { answer: exchange.accepted() };
    const { html, status, retry_after: retryAfter } = script;
    if (status === undefined && script.reason === undefined) {
      return { answer: exchange.accepted(), script };
    }
    const isPage = html === true && status !== undefined;
    return { answer: isPage ? htmlPage(status, retryAfter) : exchange.scripted(script), script };
  }
}

type Script = Partial<ScriptedAnswer>;

/** By default a phone shows the accepted pushes. One that is off shows those that the provider keeps for so long. */
function fateOf(
  { status }: HttpAnswer,
  { timeToLiveSeconds, isHeld = false }: Exchange,
  script: Script,
) {
  const isOn = timeToLiveSeconds >= (script.phone_off_seconds ?? 0);
  const isDelivered = script.shown ?? isAccepted(status);
  return {
    shown: isDelivered && isOn && !isHeld,
    expired: isDelivered && !isOn,
    delay_ms: script.delay_ms ?? 0,
  };
}

/** Why a request is never decided. */
type Obstacle = 'hang' | 'reset' | 'blackhole';

/**
 * Nothing reaches a phone, unless the mode says that only the answer is lost. `hang`: the request is never decided.
 * `reset`: the connection ends before the decision. `blackhole`: the network path is broken, so that a real provider would not receive the
 * request. For the sender all of them look like a lost answer.
 */
function obstacleOf({ mode }: PlatformMode, connection: ClientConnection): Obstacle | undefined {
  if (connection.isSilent) return 'blackhole';
  return mode === 'hang' || mode === 'reset' ? mode : undefined;
}

/** Waits for the delay of a mode or a script; the timer does not keep the process alive. */
async function wait({ delay_ms: delayMs = 0 }: Pick<PlatformMode, 'delay_ms'>): Promise<void> {
  if (delayMs > 0) await delay(delayMs, undefined, { ref: false });
}
