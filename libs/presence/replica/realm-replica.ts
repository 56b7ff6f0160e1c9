import type { PresenceChange, PresenceEntry, RealmPosition } from '#presence/rules';

/** One user in a replica, linked to the user that changed before. */
export interface ReplicaNode {
  readonly entry: PresenceEntry;
  /** The entry that viewers see. It differs if the user went invisible and Redis does not have that yet. */
  readonly shown: PresenceEntry;
  /** The finished JSON in the modern format: `"10":{"active_timestamp":…,"idle_timestamp":…}`. */
  readonly fragment: string;
  /** The first revision of the replica with this entry. */
  readonly revision: number;
  /** The finished JSON in the legacy format, which contains the address; created on first use. */
  legacy: { readonly email: string; readonly fragment: string } | undefined;
  /** The same with a substitute address, for guests who do not see the address. */
  substituted: { readonly host: string; readonly fragment: string } | undefined;
  readonly older: ReplicaNode | undefined;
}

interface Node extends ReplicaNode {
  shown: PresenceEntry;
  fragment: string;
  revision: number;
  older: Node | undefined;
  newer: Node | undefined;
}

/** Maps a stored entry to the one that viewers see. */
type ToShownEntry = (entry: PresenceEntry) => PresenceEntry;

const unchanged: ToShownEntry = (entry) => entry;

/**
 * The result of applying a change. `gap`: earlier changes are missing in the replica. `diverged`: the change continues
 * another history, because Redis has lost changes that the replica has.
 */
export type ApplyResult = 'applied' | 'known' | 'gap' | 'diverged';

/** The position of a provisional replica. */
const NO_POSITION = -1;

/**
 * The presence of a realm in memory, latest change first, so that a poll visits only the entries above its cursor. The
 * replica is complete up to `position`: it accepts a change only as the direct continuation.
 */
export class RealmReplica {
  /** Shared by all replicas of this process, so that the later of two states of a realm has the higher revision. */
  static #lastRevision = 0;

  readonly #nodes = new Map<number, Node>();
  /** Users whose shown entry differs from the stored one. */
  readonly #overriddenUsers = new Set<number>();
  readonly #deactivated = new Set<number>();
  #newest: Node | undefined;
  #position: number;
  #chain: number;
  #revision = (RealmReplica.#lastRevision += 1);

  /** The epoch of the realm in Redis; null for a provisional replica. */
  readonly epoch: number | null;

  private constructor(
    position: RealmPosition | null,
    entries: Iterable<PresenceEntry>,
    private readonly toShown: ToShownEntry,
  ) {
    this.epoch = position?.epoch ?? null;
    this.#position = position?.top ?? NO_POSITION;
    this.#chain = position?.chain ?? 0;
    for (const entry of [...entries].toSorted((a, b) => a.id - b.id)) this.#insertNewest(entry);
  }

  /** A replica of the state of Redis at `position`. */
  static complete(
    position: RealmPosition,
    entries: Iterable<PresenceEntry>,
    toShown = unchanged,
  ): RealmReplica {
    return new RealmReplica(position, entries, toShown);
  }

  /** A replica without a position, while Redis is unavailable. It must not advance a cursor. */
  static provisional(entries: Iterable<PresenceEntry>, toShown = unchanged): RealmReplica {
    return new RealmReplica(null, entries, toShown);
  }

  /** The replica is complete up to this update id; -1 for a provisional replica. */
  get position(): number {
    return this.#position;
  }

  /** Increases with each change that viewers see, and from one replica to the next. */
  get revision(): number {
    return this.#revision;
  }

  /** The number of users. */
  get size(): number {
    return this.#nodes.size;
  }

  get isComplete(): boolean {
    return this.#position !== NO_POSITION;
  }

  /** The user that changed last; `older` links to all others. */
  get newest(): ReplicaNode | undefined {
    return this.#newest;
  }

  /** Whether more than `count` users changed above an update id. Visits at most that many. */
  hasMoreAbove(id: number, count: number): boolean {
    let node = this.#newest;
    for (let seen = 0; node && node.entry.id > id; seen += 1) {
      if (seen === count) return true;
      node = node.older;
    }
    return false;
  }

  /** The stored entry of a user. */
  get(userId: number): PresenceEntry | undefined {
    return this.#nodes.get(userId)?.entry;
  }

  /** The user with the shown entry and its finished JSON. */
  node(userId: number): ReplicaNode | undefined {
    return this.#nodes.get(userId);
  }

  /** Users whose shown entry differs from the stored one; rarely any. */
  overridden(): ReplicaNode[] {
    return [...this.#overriddenUsers].flatMap((userId) => this.#nodes.get(userId) ?? []);
  }

  /** Users published as deactivated. */
  get deactivated(): ReadonlySet<number> {
    return this.#deactivated;
  }

  /** The stored entries; copies all of them. */
  entries(): PresenceEntry[] {
    return [...this.#nodes.values()].map((node) => node.entry);
  }

  /** The entries that viewers see; copies all of them. */
  shown(): PresenceEntry[] {
    return [...this.#nodes.values()].map((node) => node.shown);
  }

  /** Applies a change that directly continues the replica; changes nothing for any other. */
  apply(change: PresenceChange): ApplyResult {
    if (change.entry.id <= this.#position) return 'known';
    if (!this.isComplete || change.previousId > this.#position) return 'gap';
    // The change continues a state that this replica does not have.
    if (!this.#isAt(change.previousId, change.previousChain)) return 'diverged';
    this.#startRevision();
    this.#insertNewest(change.entry);
    this.#position = change.entry.id;
    this.#chain = change.chain;
    return 'applied';
  }

  /** Whether a position of Redis shows that it has another history than the replica. */
  isOtherHistory({ epoch, top, chain }: RealmPosition): boolean {
    return epoch !== this.epoch || (top === this.#position && chain !== this.#chain);
  }

  #isAt(id: number, chain: number): boolean {
    return id === this.#position && chain === this.#chain;
  }

  /** Recomputes the shown entry of a user. */
  refreshEntry(userId: number): void {
    const node = this.#nodes.get(userId);
    if (!node) return;
    this.#startRevision();
    node.shown = this.#shown(node.entry);
    node.fragment = modernFragment(node.shown);
    node.revision = this.#revision;
    node.legacy = undefined;
    node.substituted = undefined;
  }

  /** Starts a new revision. */
  #startRevision(): void {
    RealmReplica.#lastRevision += 1;
    this.#revision = RealmReplica.#lastRevision;
  }

  #shown(entry: PresenceEntry): PresenceEntry {
    const shown = this.toShown(entry);
    if (shown === entry) this.#overriddenUsers.delete(entry.userId);
    else this.#overriddenUsers.add(entry.userId);
    return shown;
  }

  #insertNewest(entry: PresenceEntry): void {
    const replaced = this.#nodes.get(entry.userId);
    if (replaced) this.#unlink(replaced);
    if (entry.isDeactivated) this.#deactivated.add(entry.userId);
    else this.#deactivated.delete(entry.userId);
    const shown = this.#shown(entry);
    const node: Node = {
      entry,
      shown,
      fragment: modernFragment(shown),
      revision: this.#revision,
      legacy: undefined,
      substituted: undefined,
      older: this.#newest,
      newer: undefined,
    };
    if (this.#newest) this.#newest.newer = node;
    this.#newest = node;
    this.#nodes.set(entry.userId, node);
  }

  #unlink(node: Node): void {
    if (node.newer) node.newer.older = node.older;
    else this.#newest = node.older;
    if (node.older) node.older.newer = node.newer;
  }
}

/** The finished JSON of an entry in the modern format. */
export function modernFragment({ userId, activeAt, joinedAt, idleAt }: PresenceEntry): string {
  const active = activeAt === 0 ? joinedAt : activeAt;
  // Joined, and not a template: V8 keeps a template as a tree of its parts, with three times the memory.
  return ['"', userId, '":{"active_timestamp":', active, ',"idle_timestamp":', idleAt, '}'].join(
    '',
  );
}
