import type { MarkdownIt, StateInline, Token } from 'markdown-it';
import { contextOf, type MarkdownContext } from './markdown-context.js';
import {
  type ChannelMention,
  channelMentionAt,
  groupMentionAt,
  userMentionAt,
} from './mention-syntax.rules.js';

/** Names that stand for everyone who reads, not for one account. */
const EVERYONE = new Set(['all', 'everyone', 'channel', 'stream']);
const AT_SIGN = 0x40;
const NUMBER_SIGN = 0x23;

const NOBODY: MarkdownContext = {
  findUser: () => undefined,
  findGroup: () => undefined,
  findChannel: () => undefined,
};

interface Element {
  readonly tag: 'span' | 'a';
  readonly attributes: Token['attrs'];
  readonly text: string;
}

/** What a mention is written as, and what it becomes; null when it is nobody's name. */
interface Reading {
  readonly source: string;
  readonly element: Element | null;
}

/** Mentions of accounts and groups, and links to channels. */
export function mentions(parser: MarkdownIt): void {
  parser.inline.ruler.before('emphasis', 'mention', (state, isSilent) => {
    const reading = readingAt(state, contextOf(state.env) ?? NOBODY);
    if (reading === null || state.pos + reading.source.length > state.posMax) return false;
    if (!isSilent) pushReading(state, reading);
    state.pos += reading.source.length;
    return true;
  });
}

function readingAt(state: StateInline, context: MarkdownContext): Reading | null {
  const character = state.src.charCodeAt(state.pos);
  if (character === AT_SIGN) return userOrGroup(state.src, state.pos, context);
  if (character !== NUMBER_SIGN) return null;
  const found = channelMentionAt(state.src, state.pos);
  if (found === undefined) return null;
  // A link cannot hold another.
  const element = state.linkLevel > 0 ? null : channelLink(found.mention, context);
  return { source: found.text, element };
}

function userOrGroup(source: string, position: number, context: MarkdownContext): Reading | null {
  const user = userMentionAt(source, position);
  if (user !== undefined) {
    const { fullName, id, isSilent } = user.mention;
    const isEveryone = context !== NOBODY && id === undefined && EVERYONE.has(fullName);
    const userId = isEveryone ? '*' : context.findUser(fullName, id);
    const kind = isEveryone ? 'user-mention channel-wildcard-mention' : 'user-mention';
    return {
      source: user.text,
      element:
        userId === undefined ? null : person(kind, ['data-user-id', userId], fullName, isSilent),
    };
  }
  const group = groupMentionAt(source, position);
  if (group === undefined) return null;
  const { name, isSilent } = group.mention;
  const groupId = context.findGroup(name);
  return {
    source: group.text,
    element:
      groupId === undefined
        ? null
        : person('user-group-mention', ['data-user-group-id', groupId], name, isSilent),
  };
}

const person = (
  kind: string,
  id: [name: string, value: string | number],
  name: string,
  isSilent: boolean,
): Element => ({
  tag: 'span',
  attributes: [['class', isSilent ? `${kind} silent` : kind], id],
  text: isSilent ? name : `@${name}`,
});

function channelLink(
  { channel, topic, messageId }: ChannelMention,
  context: MarkdownContext,
): Element | null {
  const id = context.findChannel(channel);
  if (id === undefined) return null;
  const toChannel = `/#narrow/channel/${id}-${inFragment(channel.replaceAll(' ', '-'))}`;
  const toTopic = topic === undefined ? toChannel : `${toChannel}/topic/${inFragment(topic)}`;
  const [kind, href, text] =
    messageId !== undefined
      ? ['message-link', `${toTopic}/near/${messageId}`, `#${channel} > ${topic} @ 💬`]
      : topic !== undefined
        ? ['stream-topic', toTopic, `#${channel} > ${topic}`]
        : ['stream', toChannel, `#${channel}`];
  return {
    tag: 'a',
    attributes: [
      ['class', kind],
      ['data-stream-id', id],
      ['href', href],
    ],
    text,
  };
}

/** As clients write names into the fragment of an address: with a dot where others have a percent sign. */
function inFragment(name: string): string {
  // A half of a character cannot be encoded.
  const wellFormed = Buffer.from(name).toString();
  return encodeURIComponent(wellFormed)
    .replaceAll('.', '%2E')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
    .replaceAll('%', '.');
}

function pushReading(state: StateInline, { source, element }: Reading): void {
  const token = state.push(element === null ? 'text' : 'whole_element', element?.tag ?? '', 0);
  token.content = element?.text ?? source;
  token.attrs = element?.attributes ?? null;
}
