import { EMPTY_TOPIC_NAME } from '#platform/contracts';
import { channelMention, channelPath, literalText } from '#platform/markdown';

/** The location of a message. */
export interface MessageAddress {
  readonly id: number;
  /** Null for a direct message. */
  readonly channel: { readonly id: number; readonly name: string } | null;
  readonly topic: string;
  /** The members of its direct conversation; null for a message of a channel. */
  readonly people: readonly { readonly id: number }[] | null;
}

/** The maximum number of conversation members that a path lists. */
const MAX_IN_PATH = 50;

/** The path at which clients of the organisation show a message. */
export function messagePath({ id, channel, topic, people }: MessageAddress): string {
  if (channel !== null) return channelPath({ channel, topic, messageId: id });
  const members = (people ?? []).map((person) => person.id);
  if (members.length === 0 || members.length > MAX_IN_PATH) return `/#narrow/near/${id}`;
  return `/#narrow/dm/${members.join(',')}-${members.length > 2 ? 'group' : 'dm'}/near/${id}`;
}

/** A Markdown link to a message with its place as text; for a direct message, the address alone. `url` is its address. */
export function messageLink({ channel, topic }: MessageAddress, url: string): string {
  if (channel === null) return url;
  const name = topic === '' ? EMPTY_TOPIC_NAME : topic;
  return `[#${literalText(channel.name)} > ${literalText(name)} @ 💬](${url})`;
}

/**
 * A Markdown link to a message, in one line: by the names of channel and topic if these need no escaping, else by its
 * path.
 */
export function originalMessage(address: MessageAddress): string {
  const { id, channel, topic } = address;
  const mention = channel === null ? null : channelMention({ channel, topic, messageId: id });
  return mention === null
    ? `[Original message](${messagePath(address)})`
    : `Original message at ${mention}`;
}
