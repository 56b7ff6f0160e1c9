/** `@**Full Name**`, `@**Full Name|12**` or `@**|12**`; `@_` makes it silent. */
interface UserMention {
  /** Empty if the mention has only an id. */
  readonly fullName: string;
  readonly id: number | undefined;
  readonly isSilent: boolean;
}

/** `#**channel**`, `#**channel>topic**`, or `#**channel>topic@12**` for a message. */
export interface ChannelMention {
  readonly channel: string;
  readonly topic: string | undefined;
  readonly messageId: number | undefined;
}

/** The distinct names in a source. */
export interface MentionNames {
  readonly users: readonly { readonly fullName: string; readonly id: number | undefined }[];
  readonly groups: readonly string[];
  readonly channels: readonly string[];
  /** Of links to topics. */
  readonly topics: readonly TopicName[];
}

/** A topic, with the channel by its name. */
export interface TopicName {
  readonly channel: string;
  readonly topic: string;
}

interface Found<Mention> {
  readonly mention: Mention;
  readonly text: string;
}

// A name has at most 100 characters. An emoji counts as two here. A name may contain a bar, but does not end with a bar
// and a number.
const USER = /@(_?)\*\*(?!\*\*)([^*\n]{0,200}?)(?:\|(\d{1,9}))?\*\*/y;
const GROUP = /@(_?)\*([^*\n]{1,200})\*(?!\*)/y;
const CHANNEL = /#\*\*([^*\n>]{1,200})(?:>([^*\n]{0,200}?)(?:@(\d{1,10}))?)?\*\*/y;
/** The characters that may precede a mention, as clients know it. */
const BEFORE = /(?:^|[\s'"({[/<])$/;

/** The mention of an account that starts at `position`, if any. */
export function userMentionAt(source: string, position: number): Found<UserMention> | undefined {
  const [text, silent, fullName, id] = matchAt(USER, source, position);
  if (text === undefined || fullName === undefined) return undefined;
  return {
    text,
    mention: {
      fullName,
      id: id === undefined ? undefined : Number(id),
      isSilent: silent === '_',
    },
  };
}

/** The mention of a group that starts at `position`, if any. */
export function groupMentionAt(
  source: string,
  position: number,
): Found<{ readonly name: string; readonly isSilent: boolean }> | undefined {
  const [text, silent, name] = matchAt(GROUP, source, position);
  if (text === undefined || name === undefined) return undefined;
  return { text, mention: { name, isSilent: silent === '_' } };
}

/** The mention of a channel that starts at `position`, if any. */
export function channelMentionAt(
  source: string,
  position: number,
): Found<ChannelMention> | undefined {
  const [text, channel, topic, id] = matchAt(CHANNEL, source, position);
  if (text === undefined || channel === undefined) return undefined;
  const messageId = id === undefined ? undefined : Number(id);
  return { text, mention: { channel, topic, messageId } };
}

/** The names to look up before a source is rendered. They include names in code, which the renderer ignores. */
export function mentionedNames(source: string): MentionNames {
  const users = new Map<string, { readonly fullName: string; readonly id: number | undefined }>();
  const groups = new Set<string>();
  const channels = new Set<string>();
  const topics = new Map<string, TopicName>();
  for (const { index } of source.matchAll(/[@#]/g)) {
    const user = userMentionAt(source, index)?.mention;
    if (user !== undefined) {
      users.set(`${user.fullName}|${user.id}`, { fullName: user.fullName, id: user.id });
    }
    const group = groupMentionAt(source, index)?.mention;
    if (group !== undefined) groups.add(group.name);
    const channel = channelMentionAt(source, index)?.mention;
    if (channel === undefined) continue;
    channels.add(channel.channel);
    const topic = topicLinkedBy(channel);
    if (topic !== undefined) topics.set(`${topic.channel}>${topic.topic}`, topic);
  }
  return {
    users: [...users.values()],
    groups: [...groups],
    channels: [...channels],
    topics: [...topics.values()],
  };
}

/** The topic of a link to a topic; none for a link to a channel or to a message. */
export const topicLinkedBy = ({
  channel,
  topic,
  messageId,
}: ChannelMention): TopicName | undefined =>
  topic === undefined || messageId !== undefined ? undefined : { channel, topic };

/**
 * Encodes a name for the fragment of a link, as clients do: percent-encoding with a dot instead of the percent sign.
 * An unpaired surrogate, which cannot be encoded, becomes the replacement character.
 */
export const encodeFragment = (name: string): string =>
  encodeURIComponent(Buffer.from(name).toString())
    .replaceAll('.', '%2E')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
    .replaceAll('%', '.');

/** The match at `position`; none behind other text, such as a letter or a backslash. */
function matchAt(
  syntax: RegExp,
  source: string,
  position: number,
): readonly (string | undefined)[] {
  syntax.lastIndex = position;
  const match = syntax.exec(source);
  if (match === null) return [];
  return BEFORE.test(source.slice(Math.max(0, position - 1), position)) ? match : [];
}
