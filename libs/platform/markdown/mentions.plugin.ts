import { EMPTY_TOPIC_NAME } from '#platform/contracts';
import type { MarkdownIt, StateInline, Token } from 'markdown-it';
import { contextOf, hasContext, type MarkdownContext } from './environment.js';
import {
  type ChannelMention,
  channelMentionAt,
  groupMentionAt,
  userMentionAt,
} from './mention-syntax.rules.js';
import { channelPath } from './server-text.rules.js';

/** The accounts and groups that a source mentions; without silent mentions, and without those in quotes. */
export interface Mentions {
  readonly userIds: readonly number[];
  readonly groupIds: readonly number[];
  /** Whether it mentions all subscribers of the channel. */
  readonly isEveryone: boolean;
  /** Whether it mentions the participants of the topic. */
  readonly isTopic: boolean;
}

/** Names that mention all subscribers of the channel. */
const EVERYONE = new Set(['all', 'everyone', 'channel', 'stream']);
/** The name that mentions the participants of the topic. */
const TOPIC = 'topic';
const AT_SIGN = 0x40;
const NUMBER_SIGN = 0x23;

type ElementToken = Pick<Token, 'type' | 'tag' | 'attrs' | 'content'>;

/** The text of a mention in the source, and its token; null for an unknown name. */
interface FoundMention {
  readonly source: string;
  readonly token: ElementToken | null;
}

/** Renders mentions of accounts and groups, and links to channels. */
export function mentions(parser: MarkdownIt): void {
  parser.inline.ruler.before('emphasis', 'mention', (state, isSilent) => {
    const found = mentionAt(state, contextOf(state.env));
    if (found === null || state.pos + found.source.length > state.posMax) return false;
    if (!isSilent) pushMention(state, found);
    state.pos += found.source.length;
    return true;
  });
}

/** The mentions in the tokens of a source. */
export function mentionsOf(tokens: readonly Token[]): Mentions {
  const userIds = new Set<number>();
  const groupIds = new Set<number>();
  let isEveryone = false;
  let isTopic = false;
  let quoteDepth = 0;
  for (const block of tokens) {
    if (block.tag === 'blockquote') quoteDepth += block.nesting;
    if (quoteDepth > 0) continue;
    for (const token of block.children ?? []) {
      if (token.type === 'topic_mention') isTopic = true;
      if (token.type === 'group_mention') groupIds.add(Number(token.attrGet('data-user-group-id')));
      if (token.type !== 'user_mention') continue;
      const id = token.attrGet('data-user-id');
      if (id === '*') isEveryone = true;
      else userIds.add(Number(id));
    }
  }
  return { userIds: [...userIds], groupIds: [...groupIds], isEveryone, isTopic };
}

function mentionAt(state: StateInline, context: MarkdownContext): FoundMention | null {
  const character = state.src.charCodeAt(state.pos);
  if (character === AT_SIGN) {
    const isInRealm = hasContext(state.env);
    return (
      userAt(state.src, state.pos, context, isInRealm) ?? groupAt(state.src, state.pos, context)
    );
  }
  if (character !== NUMBER_SIGN) return null;
  const found = channelMentionAt(state.src, state.pos);
  if (found === undefined) return null;
  // A link cannot contain another link.
  const token = state.linkLevel > 0 ? null : channelLink(found.mention, context);
  return { source: found.text, token };
}

function userAt(
  source: string,
  position: number,
  context: MarkdownContext,
  isInRealm: boolean,
): FoundMention | null {
  const found = userMentionAt(source, position);
  if (found === undefined) return null;
  const { fullName: name, id, isSilent } = found.mention;
  const isWildcard = isInRealm && id === undefined;
  if (isWildcard && name === TOPIC) {
    const token = mentionToken('topic_mention', 'topic-mention', null, { name, isSilent });
    return { source: found.text, token };
  }
  const isEveryone = isWildcard && EVERYONE.has(name);
  const userId = isEveryone ? '*' : context.findUser(name, id);
  if (userId === undefined) return { source: found.text, token: null };
  const className = isEveryone ? 'user-mention channel-wildcard-mention' : 'user-mention';
  const target: [string, string | number] = ['data-user-id', userId];
  const token = mentionToken('user_mention', className, target, { name, isSilent });
  return { source: found.text, token };
}

function groupAt(source: string, position: number, context: MarkdownContext): FoundMention | null {
  const found = groupMentionAt(source, position);
  if (found === undefined) return null;
  const groupId = context.findGroup(found.mention.name);
  if (groupId === undefined) return { source: found.text, token: null };
  const target: [string, number] = ['data-user-group-id', groupId];
  const token = mentionToken('group_mention', 'user-group-mention', target, found.mention);
  return { source: found.text, token };
}

/** A silent mention has a type of its own, so that it does not count. */
const mentionToken = (
  type: 'user_mention' | 'group_mention' | 'topic_mention',
  className: string,
  target: [attribute: string, id: string | number] | null,
  { name, isSilent }: { readonly name: string; readonly isSilent: boolean },
): ElementToken => ({
  type: isSilent ? 'mention' : type,
  tag: 'span',
  attrs: [
    ['class', isSilent ? `${className} silent` : className],
    ...(target === null ? [] : [target]),
  ],
  content: isSilent ? name : `@${name}`,
});

function channelLink(
  { channel: name, topic, messageId }: ChannelMention,
  context: MarkdownContext,
): ElementToken | null {
  const id = context.findChannel(name);
  if (id === undefined) return null;
  const shownTopic = topic === '' ? EMPTY_TOPIC_NAME : topic;
  const [className, content] =
    messageId !== undefined
      ? ['message-link', `#${name} > ${shownTopic} @ 💬`]
      : topic !== undefined
        ? ['stream-topic', `#${name} > ${shownTopic}`]
        : ['stream', `#${name}`];
  return {
    type: 'channel_link',
    tag: 'a',
    attrs: [
      ['class', className],
      ['data-stream-id', id],
      ['href', channelPath({ channel: { id, name }, topic, messageId })],
    ],
    content,
  };
}

function pushMention(state: StateInline, { source, token }: FoundMention): void {
  const { type, tag, attrs, content } = token ?? {
    type: 'text',
    tag: '',
    attrs: null,
    content: source,
  };
  Object.assign(state.push(type, tag, 0), { attrs, content });
}
