import type { RealmPresence } from './realm-presence.js';

/** A realm that nobody asks for is kept this long: whoever asks then waits for it to be read again. */
const UNUSED_REALM_MS = 3_600_000;

interface Kept {
  readonly realm: RealmPresence;
  usedAtMs: number;
}

export interface RealmRegistryOptions {
  readonly unusedRealmMs?: number;
  /** Told of a realm that was dropped. */
  readonly onDropped?: (realmId: number) => void;
  /** A clock that never steps, in milliseconds. */
  readonly nowMs?: () => number;
}

/** The realms that this process keeps a mirror of. */
export class RealmRegistry {
  readonly #realms = new Map<number, Kept>();
  readonly #unusedRealmMs: number;
  readonly #nowMs: () => number;

  constructor(
    private readonly create: (realmId: number) => RealmPresence,
    private readonly options: RealmRegistryOptions = {},
  ) {
    this.#unusedRealmMs = options.unusedRealmMs ?? UNUSED_REALM_MS;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** The realm, for somebody who asks for it now. */
  of(realmId: number): RealmPresence {
    const known = this.#realms.get(realmId);
    if (known) {
      known.usedAtMs = this.#nowMs();
      return known.realm;
    }
    const realm = this.create(realmId);
    this.#realms.set(realmId, { realm, usedAtMs: this.#nowMs() });
    return realm;
  }

  all(): RealmPresence[] {
    return [...this.#realms.values()].map(({ realm }) => realm);
  }

  /**
   * Drops a realm that Redis was just found to have whole, if nobody has asked for it for long. The cursors that were
   * given out for it are old by then: whatever becomes of Redis, its clock is above them.
   */
  dropIfUnused(realm: RealmPresence): void {
    const kept = this.#realms.get(realm.realmId);
    if (!kept || !realm.isAtRest || this.#nowMs() - kept.usedAtMs < this.#unusedRealmMs) return;
    this.#realms.delete(realm.realmId);
    this.options.onDropped?.(realm.realmId);
  }
}
