/** The accounts that may see each channel, by the id of the channel. */
export type Audiences = ReadonlyMap<number, readonly number[]>;

/** The accounts that may see a channel now, and those that no longer may. */
export interface VisibilityChange {
  readonly channelId: number;
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

/** The channels whose audience changed. */
export function visibilityChanges(before: Audiences, after: Audiences): VisibilityChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((channelId) => {
      const [earlier, later] = [before.get(channelId) ?? [], after.get(channelId) ?? []];
      return { channelId, gained: without(later, earlier), lost: without(earlier, later) };
    })
    .filter(({ gained, lost }) => gained.length > 0 || lost.length > 0);
}

function without(ids: readonly number[], others: readonly number[]): number[] {
  const excluded = new Set(others);
  return ids.filter((id) => !excluded.has(id));
}
