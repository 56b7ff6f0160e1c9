import type { MarkdownIt, StateInline, Token } from 'markdown-it';
import { ruleNamed } from './parser-rules.js';

const NEWLINE = 0x0a;
const UNDERSCORE = 0x5f;
const TILDE = 0x7e;
const STRUCK = /~~(?!~)([^~\n]+)~~(?!~)/y;
const UNDERSCORES = /_+/y;

/**
 * The differences of text from CommonMark: `_` is not emphasis, emphasis ends in its line, `~~` may be beside spaces,
 * code and line breaks keep the spaces beside them, and a
 * backslash is text.
 */
export function inlineSyntax(parser: MarkdownIt): void {
  parser.inline.ruler.disable(['escape', 'strikethrough', 'html_inline']);
  parser.inline.ruler2.disable('strikethrough');
  parser.inline.ruler.at('newline', newline);
  parser.inline.ruler.before('emphasis', 'underscores', underscores);
  parser.inline.ruler.before('emphasis', 'struck', struck);
  const backtick = ruleNamed(parser.inline.ruler, 'backtick');
  parser.inline.ruler.at('backticks', (state, isSilent) => {
    const start = state.pos;
    const isFound = backtick(state, isSilent);
    const token = state.tokens.at(-1);
    if (isFound && !isSilent && state.pending === '' && token?.type === 'code_inline') {
      token.content = state.src.slice(start + token.markup.length, state.pos - token.markup.length);
    }
    return isFound;
  });
  parser.core.ruler.after('inline', 'strong_around_emphasis', ({ tokens }) => {
    for (const token of tokens) {
      if (token.type !== 'inline' || token.children === null) continue;
      token.children = token.children.filter(
        ({ type, content }) => type !== 'text' || content !== '',
      );
      putStrongOutside(token.children);
    }
  });
}

function newline(state: StateInline, isSilent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== NEWLINE) return false;
  if (!isSilent) {
    const { delimiters } = state;
    state.push('softbreak', 'br', 0);
    state.delimiters = [];
    // The parser matches marks within each list of marks. It reads that of the text and those in `tokens_meta`.
    state.tokens_meta[state.tokens.length - 1] = {
      delimiters: state.level === 0 ? delimiters : state.delimiters,
    };
  }
  state.pos += 1;
  return true;
}

function underscores(state: StateInline, isSilent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== UNDERSCORE) return false;
  UNDERSCORES.lastIndex = state.pos;
  const [run = ''] = UNDERSCORES.exec(state.src) ?? [];
  if (!isSilent) state.pending += run;
  state.pos += run.length;
  return true;
}

function struck(state: StateInline, isSilent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== TILDE) return false;
  if (state.src.charCodeAt(state.pos - 1) === TILDE) return false;
  STRUCK.lastIndex = state.pos;
  const [source, content] = STRUCK.exec(state.src) ?? [];
  if (source === undefined || content === undefined) return false;
  const end = state.pos + source.length;
  const { posMax } = state;
  if (end > posMax) return false;
  if (!isSilent) {
    state.pos += 2;
    state.posMax = state.pos + content.length;
    state.push('s_open', 'del', 1);
    state.md.inline.tokenize(state);
    state.push('s_close', 'del', -1);
  }
  state.pos = end;
  state.posMax = posMax;
  return true;
}

/** Exchanges `em` and `strong` where both have the same content: clients expect `strong` outside. */
function putStrongOutside(tokens: Token[]): void {
  const open: number[] = [];
  tokens.forEach((token, index) => {
    if (token.nesting === 1) open.push(index);
    if (token.nesting !== -1) return;
    const start = open.pop();
    if (token.type !== 'em_close' || tokens[index - 1]?.type !== 'strong_close') return;
    if (start === undefined || tokens[start + 1]?.type !== 'strong_open') return;
    exchange(tokens, start, start + 1);
    exchange(tokens, index - 1, index);
  });
}

function exchange(tokens: Token[], one: number, other: number): void {
  const [first, second] = [tokens[one], tokens[other]];
  if (first === undefined || second === undefined) return;
  tokens[one] = second;
  tokens[other] = first;
}
