import type { PresenceChange, PresenceEntry } from '../state/presence-entry.js';

/** One user in a mirror, linked to the one that changed before. */
export interface MirrorNode {
  readonly entry: PresenceEntry;
  /** What is told of the user: the entry, unless the user has hidden and Redis does not have it yet. */
  readonly shown: PresenceEntry;
  /** The finished JSON of the modern format: `"10":{"active_timestamp":…,"idle_timestamp":…}`. */
  readonly fragment: string;
  /** The state of the mirror in which this was first told of the user. */
  readonly revision: number;
  /** That of the legacy format, once somebody has asked for it, with the address that it was made for. */
  legacy: { readonly email: string; readonly fragment: string } | undefined;
  readonly older: MirrorNode | undefined;
}

interface Node extends MirrorNode {
  shown: PresenceEntry;
  fragment: string;
  revision: number;
  older: Node | undefined;
  newer: Node | undefined;
}

/** What is told in place of an entry, where that is something else. */
type ShowAs = (entry: PresenceEntry) => PresenceEntry;

const asItIs: ShowAs = (entry) => entry;

/** What became of a change: `gap` means that changes before it are missing here. */
export type Applied = 'applied' | 'known' | 'gap';

/** The position of a mirror that cannot say up to which update it is complete. */
const UNPROVEN = -1;

/**
 * A realm's presence in memory, the latest change first, so that a poll walks down to its cursor and
 * no further. It is complete up to `position`: it takes a change only when that continues it.
 */
export class Mirror {
  /** Counts the states of all mirrors of this process, so that of two states of a realm the later has the higher number. */
  static #lastRevision = 0;

  readonly #nodes = new Map<number, Node>();
  /** Users of whom something else is told than their entry says. */
  readonly #veiled = new Set<number>();
  readonly #deactivated = new Set<number>();
  #newest: Node | undefined;
  #position: number;
  #revision = (Mirror.#lastRevision += 1);

  private constructor(
    /** The epoch of Redis that the state belongs to; null when it was not read from Redis. */
    readonly epoch: number | null,
    position: number,
    entries: Iterable<PresenceEntry>,
    private readonly showAs: ShowAs,
  ) {
    this.#position = position;
    for (const entry of [...entries].toSorted((a, b) => a.id - b.id)) this.#putFirst(entry);
  }

  /** A mirror of what Redis has: complete up to `top`. */
  static proven(
    epoch: number,
    top: number,
    entries: Iterable<PresenceEntry>,
    showAs = asItIs,
  ): Mirror {
    return new Mirror(epoch, top, entries, showAs);
  }

  /** A makeshift while Redis is away: no cursor may be advanced by what it says. */
  static unproven(entries: Iterable<PresenceEntry>, showAs = asItIs): Mirror {
    return new Mirror(null, UNPROVEN, entries, showAs);
  }

  /** The update id up to which nothing is missing; -1 when that is not known. */
  get position(): number {
    return this.#position;
  }

  /** A number that rises with each change of what is told, and from one mirror to the next. */
  get revision(): number {
    return this.#revision;
  }

  /** The number of users. */
  get size(): number {
    return this.#nodes.size;
  }

  get isProven(): boolean {
    return this.#position !== UNPROVEN;
  }

  /** The user that changed last, from where `older` leads through all of them. */
  get newest(): MirrorNode | undefined {
    return this.#newest;
  }

  /** Whether more than `count` users changed above an update id; looks at no more of them than that. */
  hasMoreAbove(id: number, count: number): boolean {
    let node = this.#newest;
    for (let seen = 0; node && node.entry.id > id; seen += 1) {
      if (seen === count) return true;
      node = node.older;
    }
    return false;
  }

  get(userId: number): PresenceEntry | undefined {
    return this.#nodes.get(userId)?.entry;
  }

  node(userId: number): MirrorNode | undefined {
    return this.#nodes.get(userId);
  }

  /** Those of whom something else is told than their entry says; hardly ever anybody. */
  veiled(): MirrorNode[] {
    return [...this.#veiled].flatMap((userId) => this.#nodes.get(userId) ?? []);
  }

  /** Those who are published as deactivated. */
  get deactivated(): ReadonlySet<number> {
    return this.#deactivated;
  }

  entries(): PresenceEntry[] {
    return [...this.#nodes.values()].map((node) => node.entry);
  }

  /** What is told of everybody. */
  shown(): PresenceEntry[] {
    return [...this.#nodes.values()].map((node) => node.shown);
  }

  apply(change: PresenceChange): Applied {
    if (change.epoch !== this.epoch) return 'gap';
    if (change.entry.id <= this.#position) return 'known';
    if (change.previousId !== this.#position) return 'gap';
    this.#begin();
    this.#putFirst(change.entry);
    this.#position = change.entry.id;
    return 'applied';
  }

  /** Has what is told of a user decided anew. */
  showAnew(userId: number): void {
    const node = this.#nodes.get(userId);
    if (!node) return;
    this.#begin();
    node.shown = this.#shown(node.entry);
    node.fragment = modernFragment(node.shown);
    node.revision = this.#revision;
    node.legacy = undefined;
  }

  /** Begins another state. */
  #begin(): void {
    Mirror.#lastRevision += 1;
    this.#revision = Mirror.#lastRevision;
  }

  #shown(entry: PresenceEntry): PresenceEntry {
    const shown = this.showAs(entry);
    if (shown === entry) this.#veiled.delete(entry.userId);
    else this.#veiled.add(entry.userId);
    return shown;
  }

  #putFirst(entry: PresenceEntry): void {
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

export function modernFragment({ userId, activeAt, joinedAt, idleAt }: PresenceEntry): string {
  const active = activeAt === 0 ? joinedAt : activeAt;
  // Joined, and not a template: that stays a tree of its parts, of three times the memory.
  return ['"', userId, '":{"active_timestamp":', active, ',"idle_timestamp":', idleAt, '}'].join(
    '',
  );
}
