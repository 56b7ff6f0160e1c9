import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { contextOf, mayConvert } from './environment.js';
import { eachText } from './text-tokens.js';

const ELEMENT = String.raw`(?:\p{RI}\p{RI}|[#*0-9]\uFE0F?\u20E3|\p{ExtPict}(?!\uFE0E)(?:\p{EMod}|\uFE0F)?[\u{E0020}-\u{E007F}]*)`;
const NAME = String.raw`:(?=([\w+-]{1,100}):)`;

/** What is text unless a variation selector makes it an emoji: characters such as ©, and keycaps. */
const TEXT = /^(?:(?!\p{Emoji_Presentation})\p{ExtPict}|[#*0-9]\u20E3)$/u;

/** Characters that may be beside an emoticon. */
const BESIDE = String.raw`[\s,.;?!@()[\]{}|&"']`;

/** The names of emoji by emoticon. */
const EMOTICONS: Readonly<Record<string, string>> = {
  ':)': 'slight_smile',
  '(:': 'slight_smile',
  ':(': 'frown',
  '<3': 'heart',
  ':|': 'neutral',
  ':/': 'confused',
  ';)': 'wink',
  ':D': 'grinning',
  ':o': 'open_mouth',
  ':O': 'open_mouth',
};

const EMOJI = new RegExp(`${NAME}|${ELEMENT}(?:\\u200D${ELEMENT})*`, 'gu');
const EMOTICON = new RegExp(
  `(?<=^|${BESIDE})(?:${Object.keys(EMOTICONS)
    .map((text) => text.replaceAll(/[()|]/g, String.raw`\$&`))
    .join('|')})(?=$|${BESIDE})`,
  'u',
);
const EMOJI_OR_EMOTICON = new RegExp(`${EMOTICON.source}|${EMOJI.source}`, 'gu');

/** Whether a source may have emoticons. */
export const hasEmoticon = (source: string): boolean => EMOTICON.test(source);

type Attributes = readonly (readonly [string, string])[];

/**
 * Renders `:name:`, emoji of Unicode and, if the context wants it, emoticons. A sequence of Unicode that the context
 * does not know stays text as a whole. So do emoji for which the rendering has no room left.
 */
export function emoji(parser: MarkdownIt): void {
  parser.core.ruler.after('linkify', 'emoji', (state) => {
    const { hasEmoticons = false, nameOfEmoji } = contextOf(state.env);
    if (nameOfEmoji === undefined) return;
    const pattern = hasEmoticons ? EMOJI_OR_EMOTICON : EMOJI;
    eachText(state.tokens, (token) => withEmoji(state, token, pattern));
  });
  parser.renderer.rules['emoji_picture'] = (tokens, index, _options, _environment, renderer) => {
    const token = tokens[index];
    return token === undefined ? '' : `<img${renderer.renderAttrs(token)}>`;
  };
}

function withEmoji(state: StateCore, token: Token, pattern: RegExp): Token[] {
  const { content } = token;
  const tokens: Token[] = [];
  let end = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(content); match !== null; match = pattern.exec(content)) {
    const [found, name] = match;
    const length = name === undefined ? found.length : name.length + 2;
    const rendered = emojiToken(state, found, name);
    if (rendered === undefined) continue;
    if (match.index > end) tokens.push(textToken(state, token, content.slice(end, match.index)));
    tokens.push(rendered);
    end = match.index + length;
    pattern.lastIndex = end;
  }
  if (end === 0) return [token];
  if (end < content.length) tokens.push(textToken(state, token, content.slice(end)));
  return tokens;
}

function textToken(state: StateCore, { level }: Token, content: string): Token {
  const text = new state.Token('text', '', 0);
  return Object.assign(text, { content, level });
}

function emojiToken(state: StateCore, found: string, given: string | undefined): Token | undefined {
  const { findEmoji, nameOfEmoji } = contextOf(state.env);
  const code = codeOf(found);
  const name = given ?? EMOTICONS[found] ?? (TEXT.test(found) ? undefined : nameOfEmoji?.(code));
  if (name === undefined) return undefined;
  const isUnicode = given === undefined && EMOTICONS[found] === undefined;
  const emojiFound = isUnicode ? { code } : findEmoji?.(name);
  if (emojiFound === undefined || !mayConvert(state.env, 'emoji', 1)) return undefined;
  const title = name.replaceAll('_', ' ');
  if ('picture' in emojiFound) {
    return element(state, 'emoji_picture', 'img', '', [
      ['alt', `:${name}:`],
      ['class', 'emoji'],
      ['src', emojiFound.picture],
      ['title', title],
    ]);
  }
  return element(state, 'emoji', 'span', `:${name}:`, [
    ['aria-label', title],
    ['class', `emoji emoji-${emojiFound.code}`],
    ['role', 'img'],
    ['title', title],
  ]);
}

/** The code points in hexadecimal, without the optional variation selector. */
const codeOf = (sequence: string): string =>
  Array.from(sequence, (character) => (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0'))
    .filter((codePoint) => codePoint !== 'fe0f')
    .join('-');

function element(
  state: StateCore,
  type: string,
  tag: string,
  content: string,
  attributes: Attributes,
): Token {
  const token = new state.Token(type, tag, 0);
  token.content = content;
  token.attrs = attributes.map(([name, value]) => [name, value]);
  return token;
}
