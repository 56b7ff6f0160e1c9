/**
 * Notifies each of several accounts exactly once of each of the others, and never of itself: for `n` accounts with
 * `2 (n - 1)` departures that have `n log n` ids in all, where one for each account would have `n` squared.
 */
export function departuresOf(
  ids: readonly number[],
): { readonly leftIds: readonly number[]; readonly toIds: readonly number[] }[] {
  if (ids.length < 2) return [];
  const middle = Math.ceil(ids.length / 2);
  const [first, second] = [ids.slice(0, middle), ids.slice(middle)];
  return [
    { leftIds: first, toIds: second },
    { leftIds: second, toIds: first },
    ...departuresOf(first),
    ...departuresOf(second),
  ];
}
