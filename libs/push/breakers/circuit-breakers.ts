import { Injectable, Logger, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Platform } from '#push/jobs';
import { type Clock, groupBy, systemClock } from '#platform/core';
import { NO_CREDENTIAL, type Outcome } from '#push/providers';
import { breakerAt, type BreakerState, closedBreaker } from './breaker-state.rules.js';
import { acquire, type Permit, record } from './circuit-breaker.rules.js';
import {
  type BreakerCause,
  isTenant,
  type QuorumKey,
  type Signal,
  signalOf,
  uncounted,
} from './provider-signals.rules.js';

/** A provider, and the credential that signs in there. */
interface BreakerKey {
  readonly platform: Platform;
  /** A name without secrets, such as the team and key id. */
  readonly credential: string;
  /** A digest of a topic that the configuration does not name; null otherwise. */
  readonly topic: string | null;
}

/** The name of a breaker in logs, metrics and reports. */
export const breakerName = ({ platform, credential, topic }: BreakerKey): string =>
  topic === null ? `${platform}:${credential}` : `${platform}:${credential} topic ${topic}`;

/** The status of a breaker. */
interface BreakerStatus {
  /** `closed`: pushes are sent; `open`: none is; `half_open`: a few are, as a test. */
  readonly state: 'closed' | 'open' | 'half_open';
  /** Why it is not closed; null while it is. */
  readonly cause: BreakerCause | null;
  /** In the provider's or the transport's words; null while it is closed. */
  readonly reason: string | null;
  /** Since when it is not closed, in UNIX milliseconds; null while it is. */
  readonly since: number | null;
  /** When it becomes half-open, in UNIX milliseconds; null unless it is open. */
  readonly reopensAt: number | null;
  /** How often it opened since the process started. */
  readonly openedCount: number;
}

/** The refusal of a permit. */
interface Rejection {
  readonly kind: 'rejected';
  /** When to ask again, in UNIX milliseconds. */
  readonly retryAt: number;
  /** Why the breaker is not closed, in the provider's or the transport's words. */
  readonly reason: string | null;
}

/** The fault that health reports; undefined while closed or throttled. */
export function faultOf({ cause, reason }: BreakerStatus): string | undefined {
  if (cause === null || cause === 'throttled') return undefined;
  return cause === 'outage' ? `the provider does not answer: ${reason}` : (reason ?? cause);
}

/** Reasons that concern the topic and not the credential. */
const TOPIC_REASONS: ReadonlySet<string> = new Set(['TopicDisallowed']);

/** Whether a fault of the configuration concerns only a topic that no configuration names, which a client may have made up. */
const isFaultOfTopic = ({ credential, topic }: BreakerKey, reason: string): boolean =>
  topic !== null && (credential === NO_CREDENTIAL || TOPIC_REASONS.has(reason));

/** The tenants with a delivered push, of all breakers. They are forgotten beyond this: their failures then do not count. */
const MAX_PROVEN = 20_000;

/** Names of tenants with a delivered push; see `signalOf`. */
type ProvenTenants = LRUCache<string, true>;

const noTenants = (): ProvenTenants => new LRUCache({ max: MAX_PROVEN });

/**
 * The circuit breaker of a provider. Pushes that it rejects wait in PostgreSQL and lose no attempt. When it
 * opens and closes is decided in circuit-breaker.rules.ts.
 */
export class CircuitBreaker {
  readonly #logger: Logger;
  #state: BreakerState;
  #answeredAt = 0;

  constructor(
    private readonly key: BreakerKey,
    private readonly clock: Clock,
    private readonly proven: ProvenTenants = noTenants(),
  ) {
    this.#logger = new Logger(`Breaker ${breakerName(key)}`);
    this.#state = closedBreaker(clock());
  }

  /** When a push was last answered, in UNIX milliseconds; 0 when none was. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  get status(): BreakerStatus {
    const breaker = breakerAt(this.#state, this.clock());
    const { state, openedCount } = breaker;
    if (breaker.state === 'closed') {
      return { state, cause: null, reason: null, since: null, reopensAt: null, openedCount };
    }
    const { cause, reason, since } = breaker;
    const reopensAt = breaker.state === 'open' ? breaker.reopensAt : null;
    return { state, cause, reason, since, reopensAt, openedCount };
  }

  /** Asks for the permission to send one push. `record` or `release` must follow a permit. */
  acquire(quorumKey: QuorumKey): Permit | Rejection {
    const now = this.clock();
    const { breaker, retryAt } = acquire(this.#state, now);
    this.#set(breaker);
    return retryAt === null
      ? { kind: 'granted', quorumKey, acquiredAt: now }
      : { kind: 'rejected', retryAt, reason: this.status.reason };
  }

  /**
   * Records the outcome of a push. Returns the time to try it again, in UNIX milliseconds, if the provider is at
   * fault and not the push: the attempt does not count. Null if the outcome alone decides about a retry.
   */
  record(outcome: Outcome, permit: Permit): number | null {
    return this.#record(
      signalOf(outcome, permit.quorumKey, this.#isProven(outcome, permit)),
      permit,
    );
  }

  /** Notes a delivered push. A fault that has nothing to do with the push counts for everybody. */
  #isProven(outcome: Outcome, { quorumKey }: Permit): boolean {
    if (!isTenant(quorumKey)) return true;
    const name = `${breakerName(this.key)} ${quorumKey}`;
    if (outcome.kind === 'delivered') this.proven.set(name, true);
    const isOurs = outcome.kind === 'config_fault' && !outcome.wasSent;
    return isOurs || this.proven.get(name) === true;
  }

  /** The push was not sent; another may take the permit. */
  release(permit: Permit): void {
    this.#record(uncounted, permit);
  }

  #record(signal: Signal, permit: Permit): number | null {
    if (signal.kind === 'answered') this.#answeredAt = this.clock();
    const moment = { now: this.clock(), chance: Math.random() };
    const { breaker, retryAt } = record(this.#state, signal, permit, moment);
    this.#set(breaker);
    return retryAt;
  }

  #set(breaker: BreakerState): void {
    const before = this.#state;
    this.#state = breaker;
    const causeBefore = before.state === 'closed' ? null : before.cause;
    const cause = breaker.state === 'closed' ? null : breaker.cause;
    if (cause === causeBefore) return;
    if (breaker.state === 'closed') {
      this.#logger.log('Sending again');
    } else if (cause === 'misconfigured' && isFaultOfTopic(this.key, breaker.reason)) {
      this.#logger.warn(
        `Paused for a topic that the configuration does not name: ${breaker.reason}`,
      );
    } else if (cause === 'misconfigured') {
      this.#logger.error(
        `Stopped, the configuration is at fault: ${breaker.reason}. Nothing is lost.`,
      );
    } else {
      const what =
        cause === 'outage' ? 'the provider does not answer' : 'the provider asks to wait';
      this.#logger.warn(`Paused, ${what}: ${breaker.reason}. Nothing is lost.`);
    }
  }
}

/** The breaker of one unconfigured topic, and when a push of that topic was last answered (UNIX milliseconds). */
interface TopicBreakerStatus extends BreakerStatus {
  readonly answeredAt: number;
}

const CLOSED = {
  state: 'closed',
  cause: null,
  reason: null,
  since: null,
  reopensAt: null,
} as const;

/**
 * The status of a credential that sends for unconfigured topics only. The failure of one topic counts for the
 * credential only while no push of another topic was answered since it began: clients make up topics.
 */
function statusOfCredential(topics: readonly TopicBreakerStatus[]): BreakerStatus {
  const openedCount = topics.reduce((sum, topic) => sum + topic.openedCount, 0);
  const failing = topics.find(
    (topic) =>
      topic.since !== null &&
      !TOPIC_REASONS.has(topic.reason ?? '') &&
      !topics.some((other) => other !== topic && other.answeredAt >= (topic.since ?? 0)),
  );
  if (failing === undefined) return { ...CLOSED, openedCount };
  const { state, cause, reason, since, reopensAt } = failing;
  return { state, cause, reason, since, reopensAt, openedCount };
}

/** A breaker that was not used for this time, although it allowed pushes, is removed: its credential was replaced. */
const UNUSED_MS = 600_000;

interface KeptBreaker extends BreakerKey {
  readonly breaker: CircuitBreaker;
  /** UNIX milliseconds. */
  usedAt: number;
}

const isUnconfiguredFault = ({ topic, breaker }: KeptBreaker): boolean =>
  topic !== null && breaker.status.cause === 'misconfigured';

/** The status of a credential. Unconfigured topics have no entry of their own. */
export interface CredentialStatus extends BreakerStatus {
  readonly platform: Platform;
  readonly credential: string;
}

const MAX_CREDENTIALS = 200;
/** Clients make up topics: the least recently used are removed. */
const MAX_UNCONFIGURED_TOPICS = 200;

/**
 * The breakers of this process, one for each provider and credential. A topic that the configuration does not
 * name has a breaker of its own, so that it cannot hold up the others.
 */
@Injectable()
export class CircuitBreakers {
  readonly #ofCredentials = new LRUCache<string, KeptBreaker>({ max: MAX_CREDENTIALS });
  readonly #ofTopics = new LRUCache<string, KeptBreaker>({ max: MAX_UNCONFIGURED_TOPICS });
  readonly #proven = noTenants();

  constructor(@Optional() private readonly clock: Clock = systemClock) {}

  /** The breaker of a key; created on first use. */
  of(key: BreakerKey): CircuitBreaker {
    const breakers = key.topic === null ? this.#ofCredentials : this.#ofTopics;
    const name = breakerName(key);
    const now = this.clock();
    const known = breakers.get(name);
    if (known !== undefined) {
      known.usedAt = now;
      return known.breaker;
    }
    const breaker = new CircuitBreaker(key, this.clock, this.#proven);
    breakers.set(name, { ...key, breaker, usedAt: now });
    return breaker;
  }

  /**
   * When the first breaker of a platform becomes half-open, in UNIX milliseconds; null unless all are open. An unconfigured
   * topic does not count while the topic itself is at fault: the breakers of the others may have been removed.
   */
  openUntil(platform: Platform): number | null {
    const now = this.clock();
    const times = this.#removeUnusedAndList()
      .filter((kept) => kept.platform === platform && !isUnconfiguredFault(kept))
      .map(({ breaker: { status } }) =>
        status.state === 'open' ? (status.reopensAt ?? now) : now,
      );
    const first = Math.min(...times);
    return times.length > 0 && first > now ? first : null;
  }

  /** The faults of a platform, for health. */
  faultsOf(platform: Platform): string[] {
    return this.statuses()
      .filter((status) => status.platform === platform)
      .flatMap((status) => faultOf(status) ?? []);
  }

  /**
   * The status of every credential, by name. The topics of a credential that sends for unconfigured topics only are
   * summed up. Topics without a credential are left out: clients make them up.
   */
  statuses(): readonly CredentialStatus[] {
    const byCredential = groupBy(this.#removeUnusedAndList(), ({ platform, credential }) =>
      breakerName({ platform, credential, topic: null }),
    );
    return [...byCredential.values()].flatMap((breakers) => {
      const [first] = breakers;
      if (first === undefined) return [];
      const { platform, credential } = first;
      const own = breakers.find(({ topic }) => topic === null);
      if (own !== undefined) return { platform, credential, ...own.breaker.status };
      if (credential === NO_CREDENTIAL) return [];
      const topics = breakers.map(({ breaker }) => ({
        ...breaker.status,
        answeredAt: breaker.answeredAt,
      }));
      return { platform, credential, ...statusOfCredential(topics) };
    });
  }

  /** Removes the breakers of replaced credentials first. */
  #removeUnusedAndList(): KeptBreaker[] {
    const now = this.clock();
    for (const breakers of [this.#ofCredentials, this.#ofTopics]) {
      for (const [name, { breaker, usedAt }] of breakers) {
        const usableSince = Math.max(usedAt, breaker.status.reopensAt ?? 0);
        if (now - usableSince >= UNUSED_MS) breakers.delete(name);
      }
    }
    return [...this.#ofCredentials.values(), ...this.#ofTopics.values()].toSorted((one, other) =>
      breakerName(one) < breakerName(other) ? -1 : 1,
    );
  }
}
