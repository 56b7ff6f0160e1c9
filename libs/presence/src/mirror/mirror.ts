import type { PresenceChange, PresenceEntry } from '../state/presence-entry.js';

/** One user in a mirror, linked to the one that changed before. */
export interface MirrorNode {
  readonly entry: PresenceEntry;
  /** The finished JSON of the modern format: `"10":{"active_timestamp":…,"idle_timestamp":…}`. */
  readonly fragment: string;
  /** That of the legacy format, once somebody has asked for it, with the address that it was made for. */
  legacy: { readonly email: string; readonly fragment: string } | undefined;
  readonly older: MirrorNode | undefined;
}

interface Node extends MirrorNode {
  older: Node | undefined;
  newer: Node | undefined;
}

/** What became of a change: `gap` means that changes before it are missing here. */
export type Applied = 'applied' | 'known' | 'gap';

/** The position of a mirror that cannot say up to which update it is complete. */
const UNPROVEN = -1;

/**
 * A realm's presence in memory, the latest change first, so that a poll walks down to its cursor and
 * no further. It is complete up to `position`: it takes a change only when that continues it.
 */
export class Mirror {
  readonly #nodes = new Map<number, Node>();
  #newest: Node | undefined;
  #position: number;

  private constructor(
    /** The epoch of Redis that the state belongs to; null when it was not read from Redis. */
    readonly epoch: number | null,
    position: number,
    entries: Iterable<PresenceEntry>,
  ) {
    this.#position = position;
    for (const entry of [...entries].toSorted((a, b) => a.id - b.id)) this.#putFirst(entry);
  }

  /** A mirror of what Redis has: complete up to `top`. */
  static proven(epoch: number, top: number, entries: Iterable<PresenceEntry>): Mirror {
    return new Mirror(epoch, top, entries);
  }

  /** A makeshift while Redis is away: no cursor may be advanced by what it says. */
  static unproven(entries: Iterable<PresenceEntry>): Mirror {
    return new Mirror(null, UNPROVEN, entries);
  }

  /** The update id up to which nothing is missing; -1 when that is not known. */
  get position(): number {
    return this.#position;
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

  entries(): PresenceEntry[] {
    return [...this.#nodes.values()].map((node) => node.entry);
  }

  apply(change: PresenceChange): Applied {
    if (change.epoch !== this.epoch) return 'gap';
    if (change.entry.id <= this.#position) return 'known';
    if (change.previousId !== this.#position) return 'gap';
    this.#putFirst(change.entry);
    this.#position = change.entry.id;
    return 'applied';
  }

  #putFirst(entry: PresenceEntry): void {
    const replaced = this.#nodes.get(entry.userId);
    if (replaced) this.#unlink(replaced);
    const node: Node = {
      entry,
      fragment: modernFragment(entry),
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

function modernFragment({ userId, activeAt, joinedAt, idleAt }: PresenceEntry): string {
  const active = activeAt === 0 ? joinedAt : activeAt;
  // Joined, and not a template: that stays a tree of its parts, of three times the memory.
  return ['"', userId, '":{"active_timestamp":', active, ',"idle_timestamp":', idleAt, '}'].join(
    '',
  );
}
