interface Item<Value> {
  readonly id: number;
  readonly value: Value;
}

/** A heap of values by id; the lowest id is taken first. Adding and taking cost O(log n). */
export class MinHeap<Value> {
  readonly #items: Item<Value>[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(id: number, value: Value): void {
    const items = this.#items;
    const item = { id, value };
    let index = items.length;
    items.push(item);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = items[parentIndex];
      if (parent === undefined || parent.id <= id) break;
      items[index] = parent;
      index = parentIndex;
    }
    items[index] = item;
  }

  /** Removes and returns the value with the lowest id, if that id is at most `id`. */
  takeUpTo(id: number): Value | undefined {
    const [lowest] = this.#items;
    if (lowest === undefined || lowest.id > id) return undefined;
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last);
    return lowest.value;
  }

  clear(): void {
    this.#items.length = 0;
  }

  /** Puts an item at the root, and moves lower items above it. */
  #sink(item: Item<Value>): void {
    const items = this.#items;
    let index = 0;
    for (;;) {
      const leftIndex = 2 * index + 1;
      const [left, right] = [items[leftIndex], items[leftIndex + 1]];
      if (left === undefined) break;
      const isRight = right !== undefined && right.id < left.id;
      const child = isRight ? right : left;
      if (child.id >= item.id) break;
      items[index] = child;
      index = isRight ? leftIndex + 1 : leftIndex;
    }
    items[index] = item;
  }
}
