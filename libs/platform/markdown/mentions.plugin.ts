import { EMPTY_TOPIC_NAME } from '#platform/contracts';
import type { MarkdownIt, StateInline, Token } from 'markdown-it';
import { contextOf, type NameMatch, hasContext, type MarkdownContext } from './environment.js';
import {
  type ChannelMention,
  channelMentionAt,
  groupMentionAt,
  topicLinkedBy,
  userMentionAt,
} from './mention-syntax.rules.js';
import { channelPath } from './server-text.rules.js';

/** The accounts and groups that a source mentions; without silent mentions. */
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

/** The types of tokens that mention somebody. A silent mention has a type of its own. */
const MENTIONS: ReadonlySet<string> = new Set(['user_mention', 'group_mention', 'topic_mention']);

/** `info` is the part of the content that is emphasised. */
type ElementToken = Pick<Token, 'type' | 'tag' | 'attrs' | 'content'> &
  Partial<Pick<Token, 'info'>>;

/** The text of a mention in the source, and its token; null for an unknown name. */
interface MentionMatch {
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
  parser.core.ruler.after('inline', 'silent_quotes', ({ tokens }) => silenceQuotes(tokens));
}

/** Makes the mentions in quotes silent. */
function silenceQuotes(tokens: readonly Token[]): void {
  let depth = 0;
  for (const block of tokens) {
    if (block.tag === 'blockquote') depth += block.nesting;
    if (depth === 0) continue;
    for (const token of block.children ?? []) {
      Object.assign(token, silent(token));
    }
  }
}

/** The mentions in the tokens of a source. */
export function mentionsOf(tokens: readonly Token[]): Mentions {
  const userIds = new Set<number>();
  const groupIds = new Set<number>();
  let isEveryone = false;
  let isTopic = false;
  for (const block of tokens) {
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

function mentionAt(state: StateInline, context: MarkdownContext): MentionMatch | null {
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
): MentionMatch | null {
  const found = userMentionAt(source, position);
  if (found === undefined) return null;
  const { fullName, id, isSilent } = found.mention;
  const wildcard = isInRealm && id === undefined ? wildcardToken(fullName) : undefined;
  const token = wildcard ?? nameToken('user', context.findUser(fullName, id));
  return { source: found.text, token: isSilent ? silent(token) : token };
}

function groupAt(source: string, position: number, context: MarkdownContext): MentionMatch | null {
  const found = groupMentionAt(source, position);
  if (found === undefined) return null;
  const { name, isSilent } = found.mention;
  const token = nameToken('group', context.findGroup(name));
  return { source: found.text, token: isSilent ? silent(token) : token };
}

function wildcardToken(name: string): ElementToken | undefined {
  if (name === TOPIC) return mentionToken('topic', [['class', 'topic-mention']], name);
  if (!EVERYONE.has(name)) return undefined;
  const className = 'user-mention channel-wildcard-mention';
  return mentionToken(
    'user',
    [
      ['class', className],
      ['data-user-id', '*'],
    ],
    name,
  );
}

/** The mention of an account or a group; null for an unknown one, silent for a deactivated one. */
function nameToken(kind: 'user' | 'group', found: NameMatch | undefined): ElementToken | null {
  if (found === undefined) return null;
  const token =
    kind === 'user'
      ? mentionToken(
          kind,
          [
            ['class', 'user-mention'],
            ['data-user-id', found.id],
          ],
          found.name,
        )
      : mentionToken(
          kind,
          [
            ['class', 'user-group-mention'],
            ['data-user-group-id', found.id],
          ],
          found.name,
        );
  return found.isActive ? token : silent(token);
}

const mentionToken = (
  kind: 'user' | 'group' | 'topic',
  attrs: [name: string, value: string | number][],
  name: string,
): ElementToken => ({ type: `${kind}_mention`, tag: 'span', attrs, content: `@${name}` });

/** A silent mention counts for nothing, so its token has another type. */
function silent<Given extends ElementToken | null>(token: Given): Given {
  if (token === null || !MENTIONS.has(token.type)) return token;
  const attrs = (token.attrs ?? []).map(([name, value]): [string, string | number] => [
    name,
    name === 'class' ? `${value} silent` : value,
  ]);
  return { ...token, type: 'mention', attrs, content: token.content.slice(1) };
}

function channelLink(mention: ChannelMention, context: MarkdownContext): ElementToken | null {
  const { channel: name, topic, messageId } = mention;
  const id = context.findChannel(name);
  if (id === undefined) return null;
  const linked = topicLinkedBy(mention);
  const messageInTopic =
    linked === undefined ? undefined : context.findTopic?.(linked.channel, linked.topic);
  const shownTopic = topic === '' ? EMPTY_TOPIC_NAME : topic;
  const href = channelPath({ channel: { id, name }, topic, messageId, messageInTopic });
  const link = { type: 'channel_link', tag: 'a', info: topic === '' ? EMPTY_TOPIC_NAME : '' };
  if (messageId !== undefined) {
    const attrs = attributes({ class: 'message-link', href });
    return { ...link, attrs, content: `#${name} > ${shownTopic} @ 💬` };
  }
  return {
    ...link,
    attrs: attributes({
      class: topic === undefined ? 'stream' : 'stream-topic',
      'data-stream-id': id,
      href,
    }),
    content: topic === undefined ? `#${name}` : `#${name} > ${shownTopic}`,
  };
}

const attributes = (values: Readonly<Record<string, string | number>>): Token['attrs'] =>
  Object.entries(values);

function pushMention(state: StateInline, { source, token }: MentionMatch): void {
  const pushed = token ?? { type: 'text', tag: '', attrs: null, content: source };
  Object.assign(state.push(pushed.type, pushed.tag, 0), pushed);
}
