import type { NewEvent } from '#events/log';
import { TimeSlice } from '#platform/core';

/** A joined list has no more characters of JSON, unless one event alone has them. */
export const MAX_COMBINED = 262_144;

/**
 * One event for events that differ only in these lists of their bodies; the lists are joined in order, in several events if
 * they are long. Events without an audience are left out. In time slices: each audience may have all accounts.
 */
export async function combined(
  events: readonly NewEvent[],
  ...lists: readonly string[]
): Promise<NewEvent[]> {
  const slice = new TimeSlice();
  const done: NewEvent[] = [];
  const known = new Map<string, { event: NewEvent; size: number }>();
  for (const event of events) {
    await slice.next();
    if (isForNobody(event)) continue;
    const body = event.body as Readonly<Record<string, unknown>>;
    const rest = Object.entries(body).filter(([name]) => !lists.includes(name));
    const key = JSON.stringify([event.type, rest, event.audience]);
    const size = JSON.stringify(lists.map((name) => body[name])).length;
    const before = known.get(key);
    if (before === undefined || before.size + size > MAX_COMBINED) {
      const begun = { ...event, body: copied(body, lists) };
      done.push(begun);
      known.set(key, { event: begun, size });
      continue;
    }
    before.size += size;
    for (const name of lists)
      (before.event.body as Lists)[name]?.push(...((body as Lists)[name] ?? []));
  }
  return done;
}

type Lists = Readonly<Record<string, unknown[] | undefined>>;

const copied = (body: Readonly<Record<string, unknown>>, lists: readonly string[]): object => ({
  ...body,
  ...Object.fromEntries(lists.map((name) => [name, [...((body as Lists)[name] ?? [])]])),
});

const isForNobody = ({ audience }: NewEvent): boolean =>
  !('everyone' in audience) && audience.userIds.length === 0;
