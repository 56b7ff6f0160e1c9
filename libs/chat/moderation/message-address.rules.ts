import { encodeFragment } from '#platform/markdown';

/** The location of a message. */
export interface MessageAddress {
  readonly id: number;
  /** Null for a direct message. */
  readonly channel: { readonly id: number; readonly name: string } | null;
  readonly topic: string;
  /** The members of its direct conversation; null for a message of a channel. */
  readonly people: readonly { readonly id: number }[] | null;
}

/** Names that need no escaping in a link to a channel. */
const LINKABLE_CHANNEL = /^[^*`>\r\n]{1,200}$/;
const LINKABLE_TOPIC = /^[^*`\r\n]{0,150}$/;

/** The maximum number of conversation members that a path lists. */
const MAX_IN_PATH = 50;

/** The path at which clients of the organisation show a message. */
export function messagePath({ id, channel, topic, people }: MessageAddress): string {
  if (channel !== null) {
    const name = encodeFragment(channel.name.replaceAll(' ', '-'));
    return `/#narrow/channel/${channel.id}-${name}/topic/${encodeFragment(topic)}/near/${id}`;
  }
  const members = (people ?? []).map((person) => person.id);
  if (members.length > MAX_IN_PATH) return `/#narrow/near/${id}`;
  return `/#narrow/dm/${members.join(',')}-${members.length > 2 ? 'group' : 'dm'}/near/${id}`;
}

/**
 * A Markdown link to a message, in one line: by the names of channel and topic if these need no escaping, else by its
 * path.
 */
export function originalMessage(address: MessageAddress): string {
  const { id, channel, topic } = address;
  const isNameable =
    channel !== null && LINKABLE_CHANNEL.test(channel.name) && LINKABLE_TOPIC.test(topic);
  return isNameable
    ? `Original message at #**${channel.name}>${topic}@${id}**`
    : `[Original message](${messagePath(address)})`;
}
