/** A member of a TransientSet, which writes its index. It is in one set at a time. */
export interface Indexed {
  index: number;
}

/**
 * A set, without an order, for members that come and go thousands of times a second. V8's Map and Set are unfit for these:
 * from time to time they replace their table, and the old one keeps its entries and refers to the new one. Once one table is
 * in the old generation, young collections keep all later tables, with each object that was a member when a table was
 * replaced, until the next full collection.
 */
export class TransientSet<Member extends Indexed> implements Iterable<Member> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: Member): void {
    member.index = this.#members.length;
    this.#members.push(member);
  }

  /** Removes a member. An object that is not in the set is ignored. */
  delete(member: Member): void {
    if (this.#members[member.index] !== member) return;
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    last.index = member.index;
    this.#members[last.index] = last;
  }

  /** Do not change the set meanwhile. */
  [Symbol.iterator](): IterableIterator<Member> {
    return this.#members.values();
  }
}
