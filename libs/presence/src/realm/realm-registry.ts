import { RealmPresence } from './realm-presence.js';

/** The realms that this process keeps a mirror of. */
export class RealmRegistry {
  readonly #realms = new Map<number, RealmPresence>();

  constructor(private readonly create: (realmId: number) => RealmPresence) {}

  of(realmId: number): RealmPresence {
    const known = this.#realms.get(realmId);
    if (known) return known;
    const realm = this.create(realmId);
    this.#realms.set(realmId, realm);
    return realm;
  }

  all(): RealmPresence[] {
    return [...this.#realms.values()];
  }
}
