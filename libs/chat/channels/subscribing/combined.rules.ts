import type { NewEvent } from '#events/log';

/**
 * One event for events that differ only in these lists of their bodies; the lists are joined in order. Events without an
 * audience are left out.
 */
export function combined(events: readonly NewEvent[], ...lists: readonly string[]): NewEvent[] {
  const known = new Map<string, NewEvent>();
  for (const event of events) {
    if (isForNobody(event)) continue;
    const body = event.body as Readonly<Record<string, unknown>>;
    const rest = Object.entries(body).filter(([name]) => !lists.includes(name));
    const key = JSON.stringify([event.type, rest, event.audience]);
    const before = known.get(key);
    if (before === undefined) {
      known.set(key, { ...event, body: copied(body, lists) });
      continue;
    }
    for (const name of lists) (before.body as Lists)[name]?.push(...((body as Lists)[name] ?? []));
  }
  return [...known.values()];
}

type Lists = Readonly<Record<string, unknown[] | undefined>>;

const copied = (body: Readonly<Record<string, unknown>>, lists: readonly string[]): object => ({
  ...body,
  ...Object.fromEntries(lists.map((name) => [name, [...((body as Lists)[name] ?? [])]])),
});

const isForNobody = ({ audience }: NewEvent): boolean =>
  !('everyone' in audience) && audience.userIds.length === 0;
