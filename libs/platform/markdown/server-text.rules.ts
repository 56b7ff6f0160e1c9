import { encodeFragment } from './mention-syntax.rules.js';

/** A channel, a topic of it, or a message in it. */
interface ChannelPlace {
  readonly channel: { readonly id: number; readonly name: string };
  readonly topic?: string | undefined;
  readonly messageId?: number | undefined;
  /** Any message of the topic: a link with it leads to the topic also when its name has changed. */
  readonly messageInTopic?: number | undefined;
}

/** Names that the syntax of mentions can contain. */
const MENTIONABLE_CHANNEL = /^[^*`>\r\n]{1,200}$/;
const MENTIONABLE_TOPIC = /^[^*`\r\n]{0,150}$/;
const MENTIONABLE_GROUP = /^[^*`\r\n]{1,200}$/;

/** The end of a topic that the syntax takes for the id of a message. */
const MESSAGE_ID = /@\d{1,10}$/;

const PUNCTUATION = /[!-/:-@[-`{-~]/g;
const LINE_BREAKS = /[\r\n]+/g;
const SHORTEST_FENCE = 3;

/** Markdown that shows a text as it is, in one line: nothing in it mentions, links or formats. */
export const literalText = (text: string): string =>
  text
    .replace(LINE_BREAKS, ' ')
    .replace(PUNCTUATION, (character) => `&#${character.charCodeAt(0)};`);

/** A fenced block of Markdown that `text` cannot close. `kind` is the info string, without line breaks. */
export function fencedBlock(kind: string, text: string): string {
  const fence = '`'.repeat(fenceLength(text));
  return `${fence}${kind}\n${text}\n${fence}`;
}

/** Longer than every run of backticks in the text: a fence of the same length or longer would close it. */
function fenceLength(text: string): number {
  const runs = text.match(/`+/g) ?? [];
  return runs.reduce((longest, { length }) => Math.max(longest, length + 1), SHORTEST_FENCE);
}

/** A block quote. */
export const quoteBlock = (text: string): string => fencedBlock(' quote', text);

/** A mention of an account that causes no notification. */
export const silentUserMention = (person: {
  readonly id: number;
  readonly fullName: string;
}): string => `@_**${person.fullName}|${person.id}**`;

/** A mention of a group that causes no notification; the bold name if the syntax cannot contain it. */
export const silentGroupMention = (name: string): string =>
  MENTIONABLE_GROUP.test(name) ? `@_*${name}*` : `**${literalText(name)}**`;

/** `#**channel>topic@12**`; null if the syntax cannot contain the names. */
export function channelMention({ channel, topic, messageId }: ChannelPlace): string | null {
  if (!MENTIONABLE_CHANNEL.test(channel.name)) return null;
  if (topic === undefined) return `#**${channel.name}**`;
  if (!MENTIONABLE_TOPIC.test(topic)) return null;
  if (messageId !== undefined) return `#**${channel.name}>${topic}@${messageId}**`;
  return MESSAGE_ID.test(topic) ? null : `#**${channel.name}>${topic}**`;
}

/** The path at which clients show a channel, a topic or a message. */
export function channelPath({ channel, topic, messageId, messageInTopic }: ChannelPlace): string {
  const path = `/#narrow/channel/${channel.id}-${encodeFragment(channel.name.replaceAll(' ', '-'))}`;
  if (topic === undefined) return path;
  const inTopic = `${path}/topic/${encodeFragment(topic)}`;
  if (messageId !== undefined) return `${inTopic}/near/${messageId}`;
  return messageInTopic === undefined ? inTopic : `${inTopic}/with/${messageInTopic}`;
}

/** A link to a channel or a topic, with any names. */
export function channelLink(place: ChannelPlace): string {
  const { channel, topic } = place;
  const names = topic === undefined ? channel.name : `${channel.name} > ${topic}`;
  return channelMention(place) ?? `[#${literalText(names)}](${channelPath(place)})`;
}
