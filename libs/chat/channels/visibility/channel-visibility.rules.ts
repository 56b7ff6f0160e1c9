import { mapInSlices } from '#platform/core';

/** The accounts that may see each channel, by the id of the channel. */
export type Audiences = ReadonlyMap<number, readonly number[]>;

/** The accounts that may see a channel now, and those that no longer may. */
export interface VisibilityChange {
  readonly channelId: number;
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

/** The channels whose audience changed. In time slices: each of thousands of channels may have all accounts. */
export async function visibilityChanges(
  before: Audiences,
  after: Audiences,
): Promise<VisibilityChange[]> {
  const channelIds = [...new Set([...before.keys(), ...after.keys()])];
  const changes = await mapInSlices(channelIds, (channelId) => {
    const [earlier, later] = [before.get(channelId) ?? [], after.get(channelId) ?? []];
    return { channelId, gained: without(later, earlier), lost: without(earlier, later) };
  });
  return changes.filter(({ gained, lost }) => gained.length > 0 || lost.length > 0);
}

function without(ids: readonly number[], others: readonly number[]): number[] {
  const excluded = new Set(others);
  return ids.filter((id) => !excluded.has(id));
}
