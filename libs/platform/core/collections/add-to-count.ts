/** Adds to the count of a key. A count of zero is removed, so that the map has only keys in use. */
export function addToCount<Key>(counts: Map<Key, number>, key: Key, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
