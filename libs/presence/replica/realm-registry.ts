import type { RealmPresence } from './realm-presence.js';

/** Unused realms stay in memory for this long. The next request reloads the realm. */
const UNUSED_REALM_MS = 3_600_000;

/** How long realms are kept. */
interface RealmRegistryOptions {
  readonly unusedRealmMs?: number;
  /** Called with a realm that was dropped. */
  readonly onDropped?: (realmId: number) => void;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs?: () => number;
}

/** The realms that this process keeps a replica of. */
export class RealmRegistry {
  readonly #realms = new Map<number, { readonly realm: RealmPresence; usedAtMs: number }>();
  readonly #unusedRealmMs: number;
  readonly #nowMs: () => number;

  constructor(
    private readonly create: (realmId: number) => RealmPresence,
    private readonly options: RealmRegistryOptions = {},
  ) {
    this.#unusedRealmMs = options.unusedRealmMs ?? UNUSED_REALM_MS;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** The realm; marks it as used. */
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

  /** Whether a realm has not been dropped. */
  has(realm: RealmPresence): boolean {
    return this.#realms.get(realm.realmId)?.realm === realm;
  }

  all(): RealmPresence[] {
    return [...this.#realms.values()].map(({ realm }) => realm);
  }

  /**
   * Drops a realm that has not been used for long, after a check has found it complete in Redis. Its served cursors are old
   * by then, so the clock of Redis is above them even after a loss of data.
   */
  dropIfUnused(realm: RealmPresence): void {
    const kept = this.#realms.get(realm.realmId);
    if (!kept || !realm.isSynced || this.#nowMs() - kept.usedAtMs < this.#unusedRealmMs) return;
    this.#realms.delete(realm.realmId);
    this.options.onDropped?.(realm.realmId);
  }
}
