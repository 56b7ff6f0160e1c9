import { Logger } from '@nestjs/common';
import type { Platform } from '#contracts';
import type { Clock } from '#core';
import type { Outcome } from '../deliver/outcome-policy.rules.js';
import { signalOf, type GateCause, type Signal } from './gate-signal.rules.js';
import { admitted, closedGate, type Gate, gateAt, type Passed, settled } from './gate.rules.js';

/** Which provider, and with what one signs in there. */
export interface GateKey {
  readonly platform: Platform;
  /** A name that tells nothing of the credential itself, such as its team and key id. */
  readonly credential: string;
  /** A digest of the topic where the configuration does not name it; null for everything else. */
  readonly topic: string | null;
}

/** How a gate is called in logs, in metrics and on pages. */
export const gateName = ({ platform, credential, topic }: GateKey): string =>
  topic === null ? `${platform}:${credential}` : `${platform}:${credential} topic ${topic}`;

/** How a gate stands. */
export interface ProviderGateStatus {
  /** `closed`: everything passes; `open`: nothing does; `half_open`: a few try. */
  readonly state: 'closed' | 'open' | 'half_open';
  /** Why it is not closed; null while it is. */
  readonly cause: GateCause | null;
  /** In the provider's or the transport's words; null while it is closed. */
  readonly reason: string | null;
  /** Since when it is not closed, in UNIX milliseconds; null while it is. */
  readonly since: number | null;
  /** When the next push tries, in UNIX milliseconds; null when one may at once. */
  readonly reopensAt: number | null;
  /** How often it was shut since the process started. */
  readonly openedCount: number;
}

/** What somebody should look into, for health; a throttled provider is none of it. */
export function faultOf({ cause, reason }: ProviderGateStatus): string | undefined {
  if (cause === null || cause === 'throttled') return undefined;
  return cause === 'outage' ? `the provider does not answer: ${reason}` : (reason ?? cause);
}

/**
 * Stands before a provider: a circuit breaker whose waiting pushes wait outside, where they cost no
 * attempt. What shuts it and how it closes again by itself is in the rules beside it.
 */
export class ProviderGate {
  readonly #logger: Logger;
  readonly #isForeign: boolean;
  #gate: Gate;
  #answeredAt = 0;

  constructor(
    key: GateKey,
    private readonly clock: Clock,
  ) {
    this.#logger = new Logger(`Gate ${gateName(key)}`);
    this.#isForeign = key.topic !== null;
    this.#gate = closedGate(clock());
  }

  /** When a push was last answered, in UNIX milliseconds; 0 when none was. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  get status(): ProviderGateStatus {
    const gate = gateAt(this.#gate, this.clock());
    const { state, openedCount } = gate;
    if (gate.state === 'closed') {
      return { state, cause: null, reason: null, since: null, reopensAt: null, openedCount };
    }
    const { cause, reason, since } = gate;
    const reopensAt = gate.state === 'open' ? gate.reopensAt : null;
    return { state, cause, reason, since, reopensAt, openedCount };
  }

  /**
   * Lets a push pass (then null), or tells when to come again, in UNIX milliseconds. Whoever passed is
   * told of afterwards, with `settle` or `forgo`, with the time of this call.
   */
  admit(): number | null {
    const { gate, until } = admitted(this.#gate, this.clock());
    this.#turn(gate);
    return until;
  }

  /**
   * Told what came of a push that passed. Null: what usually follows holds. Else UNIX milliseconds: the
   * push is to come back then, and the attempt does not count, for it is not the push that was at fault.
   */
  settle(outcome: Outcome, passed: Passed): number | null {
    return this.#settle(signalOf(outcome, passed.userId), passed);
  }

  /** A push that passed was not sent after all; another may try in its place. */
  forgo(passed: Passed): void {
    this.#settle({ kind: 'unsent' }, passed);
  }

  #settle(signal: Signal, passed: Passed): number | null {
    if (signal.kind === 'answered') this.#answeredAt = this.clock();
    const { gate, comesBackAt } = settled(this.#gate, signal, passed, this.clock(), Math.random());
    this.#turn(gate);
    return comesBackAt;
  }

  #turn(gate: Gate): void {
    const before = this.#gate;
    this.#gate = gate;
    const causeBefore = before.state === 'closed' ? null : before.cause;
    const cause = gate.state === 'closed' ? null : gate.cause;
    if (cause === causeBefore) return;
    if (gate.state === 'closed') {
      this.#logger.log('Sending again');
    } else if (this.#isForeign && cause === 'misconfigured') {
      this.#logger.warn(`Paused for a topic that the configuration does not name: ${gate.reason}`);
    } else if (cause === 'misconfigured') {
      this.#logger.error(
        `Stopped, the configuration is at fault: ${gate.reason}. Nothing is lost.`,
      );
    } else {
      const what =
        cause === 'outage' ? 'the provider does not answer' : 'the provider asks to wait';
      this.#logger.warn(`Paused, ${what}: ${gate.reason}. Nothing is lost.`);
    }
  }
}
