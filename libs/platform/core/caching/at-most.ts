/**
 * The size of an LRUCache with at most this number of entries. Unlike `max`, it reserves no memory for missing entries.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
