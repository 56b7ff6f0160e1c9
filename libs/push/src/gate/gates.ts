import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Platform } from '#contracts';
import { CLOCK, type Clock, groupBy } from '#core';
import { NO_CREDENTIAL } from '#push-transport';
import { statusOfCredential } from './credential-status.rules.js';
import {
  faultOf,
  type GateKey,
  gateName,
  ProviderGate,
  type ProviderGateStatus,
} from './provider-gate.js';

/** A credential that nobody has sent with for so long, though its gate would let them try, is in use no more. */
const UNUSED_MS = 600_000;

interface KeptGate extends GateKey {
  readonly gate: ProviderGate;
  /** UNIX milliseconds. */
  askedForAt: number;
}

/** How a credential stands. Foreign topics have no entry of their own. */
export interface CredentialStatus extends ProviderGateStatus {
  readonly platform: Platform;
  readonly credential: string;
}

const MOST_CREDENTIALS = 200;
/** Phones name topics as they like: the ones that were not used for longest are forgotten. */
const MOST_FOREIGN_TOPICS = 200;

/**
 * The gates of this process, one for each provider and credential. A topic that the configuration does not
 * name has a gate of its own, so that it cannot hold up the others.
 */
@Injectable()
export class Gates {
  readonly #ofCredentials = new LRUCache<string, KeptGate>({ max: MOST_CREDENTIALS });
  readonly #ofTopics = new LRUCache<string, KeptGate>({ max: MOST_FOREIGN_TOPICS });

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** The same gate for the same key; made when it is first asked for. */
  of(key: GateKey): ProviderGate {
    const gates = key.topic === null ? this.#ofCredentials : this.#ofTopics;
    const name = gateName(key);
    const now = this.clock();
    const known = gates.get(name);
    if (known !== undefined) {
      known.askedForAt = now;
      return known.gate;
    }
    const gate = new ProviderGate(key, this.clock);
    gates.set(name, { ...key, gate, askedForAt: now });
    return gate;
  }

  /** When the first of a platform's gates opens, in UNIX milliseconds; null unless all of them are shut. */
  shutUntil(platform: Platform): number | null {
    const now = this.clock();
    const times = this.#kept()
      .filter((kept) => kept.platform === platform)
      .map(({ gate: { status } }) => (status.state === 'open' ? (status.reopensAt ?? now) : now));
    const first = Math.min(...times);
    return times.length > 0 && first > now ? first : null;
  }

  /** What somebody should look into on a platform's ways. */
  faultsOf(platform: Platform): string[] {
    return this.statuses()
      .filter((status) => status.platform === platform)
      .flatMap((status) => faultOf(status) ?? []);
  }

  /**
   * How all credentials stand, by name. A credential that sends for foreign topics only is summed up.
   * Topics that no credential is for are left out: phones make them up.
   */
  statuses(): readonly CredentialStatus[] {
    const byCredential = groupBy(this.#kept(), ({ platform, credential }) =>
      gateName({ platform, credential, topic: null }),
    );
    return [...byCredential.values()].flatMap((gates) => {
      const [first] = gates;
      if (first === undefined) return [];
      const { platform, credential } = first;
      const own = gates.find(({ topic }) => topic === null);
      if (own !== undefined) return { platform, credential, ...own.gate.status };
      if (credential === NO_CREDENTIAL) return [];
      const topics = gates.map(({ gate }) => ({ ...gate.status, answeredAt: gate.answeredAt }));
      return { platform, credential, ...statusOfCredential(topics) };
    });
  }

  /** Forgets the gates of credentials that were replaced, and with them what was wrong there. */
  #kept(): KeptGate[] {
    const now = this.clock();
    for (const gates of [this.#ofCredentials, this.#ofTopics]) {
      for (const [name, { gate, askedForAt }] of gates) {
        const usableSince = Math.max(askedForAt, gate.status.reopensAt ?? 0);
        if (now - usableSince >= UNUSED_MS) gates.delete(name);
      }
    }
    return [...this.#ofCredentials.values(), ...this.#ofTopics.values()].toSorted((one, other) =>
      gateName(one) < gateName(other) ? -1 : 1,
    );
  }
}
