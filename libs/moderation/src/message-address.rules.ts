/** What of a message says where it is. */
export interface MessageAddress {
  readonly id: number;
  /** Null for a direct message. */
  readonly channel: { readonly id: number; readonly name: string } | null;
  readonly topic: string;
  /** Who takes part in its direct conversation; null for a message of a channel. */
  readonly people: readonly { readonly id: number }[] | null;
}

/** The names that stand in a link to a channel as they are. */
const LINKABLE_CHANNEL = /^[^*`>\r\n]{1,200}$/;
const LINKABLE_TOPIC = /^[^*`\r\n]{0,150}$/;

/** A path names the members of a conversation up to as many. */
const MOST_IN_PATH = 50;

/** The path under which clients of the organisation show a message. */
export function messagePath({ id, channel, topic, people }: MessageAddress): string {
  if (channel !== null) {
    const name = inFragment(channel.name.replaceAll(' ', '-'));
    return `/#narrow/channel/${channel.id}-${name}/topic/${inFragment(topic)}/near/${id}`;
  }
  const members = (people ?? []).map((person) => person.id);
  if (members.length > MOST_IN_PATH) return `/#narrow/near/${id}`;
  return `/#narrow/dm/${members.join(',')}-${members.length > 2 ? 'group' : 'dm'}/near/${id}`;
}

/**
 * Markdown for "the message at such a place", in one line: with the names of channel and topic where
 * these can stand in Markdown, else as a plain link.
 */
export function originalMessage(address: MessageAddress): string {
  const { id, channel, topic } = address;
  const isNameable =
    channel !== null && LINKABLE_CHANNEL.test(channel.name) && LINKABLE_TOPIC.test(topic);
  return isNameable
    ? `Original message at #**${channel.name}>${topic}@${id}**`
    : `[Original message](${messagePath(address)})`;
}

/** As clients write names into the fragment of an address: with a dot where others have a percent sign. */
const inFragment = (name: string): string =>
  encodeURIComponent(name)
    .replaceAll('.', '%2E')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
    .replaceAll('%', '.');
