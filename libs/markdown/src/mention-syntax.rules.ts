/** `@**Full Name**`, `@**Full Name|12**`, and with `@_` the same without calling anybody. */
export interface UserMention {
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

/** The names that a source speaks of, each once. */
export interface Mentions {
  readonly users: readonly { readonly fullName: string; readonly id: number | undefined }[];
  readonly groups: readonly string[];
  readonly channels: readonly string[];
}

interface Found<Mention> {
  readonly mention: Mention;
  readonly text: string;
}

// Names hold at most 100 characters, and an emoji counts twice here; what is longer is nobody's name.
const USER = /@(_?)\*\*([^*|\n]{1,200})(?:\|(\d{1,9}))?\*\*/y;
const GROUP = /@(_?)\*([^*\n]{1,200})\*(?!\*)/y;
const CHANNEL = /#\*\*([^*\n>]{1,200})(?:>([^*\n]{0,200}?)(?:@(\d{1,10}))?)?\*\*/y;
const WORD_BEFORE = /[\p{L}\p{N}_]$/u;

/** The mention of an account that starts at `position`; undefined when none does. */
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

/** The mention of a group that starts at `position`; undefined when none does. */
export function groupMentionAt(
  source: string,
  position: number,
): Found<{ readonly name: string; readonly isSilent: boolean }> | undefined {
  const [text, silent, name] = matchAt(GROUP, source, position);
  if (text === undefined || name === undefined) return undefined;
  return { text, mention: { name, isSilent: silent === '_' } };
}

/** The mention of a channel that starts at `position`; undefined when none does. */
export function channelMentionAt(
  source: string,
  position: number,
): Found<ChannelMention> | undefined {
  const [text, channel, topic, id] = matchAt(CHANNEL, source, position);
  if (text === undefined || channel === undefined) return undefined;
  const messageId = id === undefined ? undefined : Number(id);
  // A topic without a name can be linked only through one of its messages.
  if (topic === '' && messageId === undefined) return undefined;
  return { text, mention: { channel, topic, messageId } };
}

/**
 * What a source may mention, for looking it up before it is rendered. Also names what turns out to stand
 * in code, where nothing is mentioned.
 */
export function mentionsIn(source: string): Mentions {
  const users = new Map<string, { readonly fullName: string; readonly id: number | undefined }>();
  const groups = new Set<string>();
  const channels = new Set<string>();
  for (const { index } of source.matchAll(/[@#]/g)) {
    const user = userMentionAt(source, index)?.mention;
    if (user !== undefined) {
      users.set(`${user.fullName}|${user.id}`, { fullName: user.fullName, id: user.id });
    }
    const group = groupMentionAt(source, index)?.mention;
    if (group !== undefined) groups.add(group.name);
    const channel = channelMentionAt(source, index)?.mention;
    if (channel !== undefined) channels.add(channel.channel);
  }
  return { users: [...users.values()], groups: [...groups], channels: [...channels] };
}

/** Nothing is mentioned in the middle of a word, as in an address. */
function matchAt(
  syntax: RegExp,
  source: string,
  position: number,
): readonly (string | undefined)[] {
  syntax.lastIndex = position;
  const match = syntax.exec(source);
  if (match === null) return [];
  return WORD_BEFORE.test(source.slice(Math.max(0, position - 2), position)) ? [] : match;
}
