import { shownPropertyNames } from '../channel-property-table.rules.js';

/** A channel as clients see it. */
type ShownChannel = Readonly<Record<string, unknown>>;

/** The properties that have an event each. */
const single = (property: string): boolean =>
  property.startsWith('can_') ||
  [
    ...shownPropertyNames,
    'description',
    'stream_post_policy',
    'is_announcement_only',
    'is_archived',
    'name',
  ].includes(property);

const privacy = ['invite_only', 'history_public_to_subscribers', 'is_web_public'] as const;

/** The bodies of the events about the changes of a channel, in order. */
export function updatesOf(before: ShownChannel, after: ShownChannel): object[] {
  const changed = new Set(
    Object.keys(after).filter(
      (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
    ),
  );
  const common = { op: 'update', stream_id: after['stream_id'], name: before['name'] };
  const bodies: object[] = [];
  if (privacy.some((name) => changed.has(name))) {
    const { invite_only: value, history_public_to_subscribers, is_web_public } = after;
    const more = { history_public_to_subscribers, is_web_public };
    bodies.push({ ...common, property: 'invite_only', value, ...more });
  }
  const names = [...changed].filter(single).toSorted((one, other) => placeOf(one) - placeOf(other));
  for (const property of names) {
    const { rendered_description } = after;
    const more = property === 'description' ? { rendered_description } : {};
    bodies.push({ ...common, property, value: after[property], ...more });
  }
  return bodies;
}

/**
 * The name follows the properties whose events have the old name. For clients that do not know archived channels nothing
 * follows the end of the channel.
 */
const placeOf = (property: string): number => ['name', 'is_archived'].indexOf(property);
