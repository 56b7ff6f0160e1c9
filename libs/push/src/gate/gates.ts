import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Platform } from '#contracts';
import { CLOCK, type Clock } from '#core';
import { type GateKey, gateName, ProviderGate, type ProviderGateStatus } from './provider-gate.js';

/** A credential that nobody has sent with for so long, though its gate would let them try, is in use no more. */
const UNUSED_MS = 600_000;

interface KeptGate extends GateKey {
  readonly gate: ProviderGate;
  /** UNIX milliseconds. */
  askedForAt: number;
}

/** Topics that phones name may have gates of their own: those that were not asked for longest are forgotten. */
const MOST_GATES = 200;

/** The gates of this process, one for each provider and credential. */
@Injectable()
export class Gates {
  readonly #gates = new LRUCache<string, KeptGate>({ max: MOST_GATES });

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** The same gate for the same key; made when it is first asked for. */
  of(key: GateKey): ProviderGate {
    const name = gateName(key);
    const now = this.clock();
    const known = this.#gates.get(name);
    if (known !== undefined) {
      known.askedForAt = now;
      return known.gate;
    }
    const gate = new ProviderGate(key, this.clock);
    this.#gates.set(name, { ...key, gate, askedForAt: now });
    return gate;
  }

  /** When the first of a platform's gates opens, in UNIX milliseconds; null unless all of them are shut. */
  shutUntil(platform: Platform): number | null {
    const now = this.clock();
    const times = this.statuses()
      .filter((status) => status.platform === platform)
      .map(({ state, reopensAt }) => (state === 'open' ? (reopensAt ?? now) : now));
    const first = Math.min(...times);
    return times.length > 0 && first > now ? first : null;
  }

  /** What somebody should look into on a platform's ways. */
  faultsOf(platform: Platform): string[] {
    return this.#kept()
      .filter((kept) => kept.platform === platform)
      .flatMap(({ gate }) => gate.fault ?? []);
  }

  /** How all of them stand, by name. */
  statuses(): readonly (GateKey & ProviderGateStatus)[] {
    return this.#kept().map(({ platform, credential, gate }) => ({
      platform,
      credential,
      ...gate.status,
    }));
  }

  /** Forgets the gates of credentials that were replaced, and with them what was wrong there. */
  #kept(): KeptGate[] {
    const now = this.clock();
    for (const [name, { gate, askedForAt }] of this.#gates) {
      const usableSince = Math.max(askedForAt, gate.status.reopensAt ?? 0);
      if (now - usableSince >= UNUSED_MS) this.#gates.delete(name);
    }
    return [...this.#gates.values()].toSorted((one, other) =>
      gateName(one) < gateName(other) ? -1 : 1,
    );
  }
}
