import type { Env, MarkdownIt, RendererRule, StateBlock, StateCore, Token } from 'markdown-it';
import { highlightedCode } from './code/code-highlighting.js';

/** The nesting depth of quotes and spoilers; a deeper fence is shown as code. */
const MAX_DEPTH = 5;

/** The marks, and the language with the text behind it. Neither may contain the character of the marks. */
const OPENING = /^(?:(`{3,})([^`]*)|(~{3,})([^~]*))$/;
const LANGUAGE = /^\{?\.?([\w+#./-]{1,40})\}?(?:\s+(.*))?$/;
const CONTAINERS: ReadonlySet<string> = new Set(['quote', 'spoiler']);

const SPOILER = {
  spoiler_open: '<div class="spoiler-block"><div class="spoiler-header">\n',
  spoiler_content: '</div><div class="spoiler-content" aria-hidden="true">\n',
  spoiler_close: '</div></div>\n',
};

/** The first line of a fence. */
interface Opening {
  readonly marks: string;
  readonly language: string;
  /** The text behind the language. */
  readonly header: string;
}

/** Renders fences: code, and quotes and spoilers, whose content is Markdown. */
export function fencedBlocks(parser: MarkdownIt): void {
  parser.block.ruler.at('fence', fence, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  parser.core.ruler.after('block', 'fences_of_markdown', (state) => {
    state.tokens = expandFences(state, state.tokens, 0);
  });
  parser.renderer.rules['fence'] = code;
  parser.renderer.rules['code_block'] = code;
  for (const [type, html] of Object.entries(SPOILER)) parser.renderer.rules[type] = () => html;
}

function openingOf(line: string): Opening | undefined {
  const [, backticks, code, tildes, text] = OPENING.exec(line) ?? [];
  const marks = backticks ?? tildes;
  if (marks === undefined) return undefined;
  const info = (code ?? text ?? '').trim();
  const [, language = '', header = ''] = LANGUAGE.exec(info) ?? [];
  return { marks, language, header };
}

/** A fence up to the line that closes it. In a quote or a spoiler, the fences inside are counted. */
function fence(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent > 3) return false;
  const opening = openingOf(lineOf(state, startLine));
  if (opening === undefined) return false;
  if (isSilent) return true;
  const open = [opening];
  let line = startLine + 1;
  for (; line < endLine && open.length > 0; line += 1) {
    if (!state.isEmpty(line) && (state.sCount[line] ?? 0) < state.blkIndent) break;
    const text = lineOf(state, line);
    const closed = closedBy(text, open);
    if (closed !== undefined) open.length = closed;
    else if (CONTAINERS.has(open.at(-1)?.language ?? '')) {
      const inner = openingOf(text);
      if (inner !== undefined) open.push(inner);
    }
  }
  const token = state.push('fence', 'code', 0);
  token.info = opening.language;
  token.meta = { ...opening };
  const end = open.length === 0 ? line - 1 : line;
  token.content = state.getLines(startLine + 1, end, state.sCount[startLine] ?? 0, true);
  token.map = [startLine, line];
  state.line = line;
  return true;
}

/**
 * The index of the fence that a line closes. That is the innermost one, or one around it whose marks are longer than those
 * of all fences inside: so a text in a fence that is longer than any of its own cannot close it.
 */
function closedBy(line: string, open: readonly Opening[]): number | undefined {
  const index = open.findLastIndex(({ marks }) => marks === line);
  if (index === -1) return undefined;
  const isLongest = open
    .slice(index + 1)
    .every(({ marks }) => marks[0] !== line[0] || marks.length < line.length);
  return isLongest ? index : undefined;
}

/** A line without the white space around it. */
const lineOf = (state: StateBlock, line: number): string =>
  state.src
    .slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
    .trimEnd();

const code: RendererRule = (tokens, index, _options, environment) =>
  codeBlock(tokens[index], environment);

function codeBlock(token: Token | undefined, environment: Env | undefined): string {
  const { language, html } = highlightedCode(token?.content ?? '', token?.info ?? '', environment);
  const attribute = language === '' ? '' : ` data-code-language="${language}"`;
  return `<div class="codehilite"${attribute}><pre><span></span><code>${html}</code></pre></div>\n`;
}

/** Replaces each quote and spoiler fence by the tokens of its content. */
function expandFences(state: StateCore, tokens: readonly Token[], depth: number): Token[] {
  if (depth === MAX_DEPTH) return [...tokens];
  return tokens.flatMap((token) => {
    if (token.type !== 'fence' || !CONTAINERS.has(token.info)) return [token];
    const content: Token[] = [];
    state.md.block.parse(token.content, state.md, state.env, content);
    const expanded = expandFences(state, content, depth + 1);
    if (token.info === 'quote') return within(state, 'blockquote', expanded);
    const header = titleLine(state, headerOf(token));
    return [
      part(state, 'spoiler_open', 1),
      ...header,
      part(state, 'spoiler_content', 0),
      ...expanded,
      part(state, 'spoiler_close', -1),
    ];
  });
}

/** The header of a fence, from the first line that `fence` has stored. */
const headerOf = ({ meta }: Token): string =>
  typeof meta === 'object' && meta !== null && 'header' in meta ? String(meta.header) : '';

function titleLine(state: StateCore, title: string): Token[] {
  if (title === '') return [];
  const inline = new state.Token('inline', '', 0);
  inline.content = title;
  inline.children = [];
  return within(state, 'p', [inline]);
}

function within(state: StateCore, tag: string, content: readonly Token[]): Token[] {
  const open = new state.Token('wrapper_open', tag, 1);
  const close = new state.Token('wrapper_close', tag, -1);
  open.block = true;
  close.block = true;
  return [open, ...content, close];
}

function part(state: StateCore, type: string, nesting: -1 | 0 | 1): Token {
  const token = new state.Token(type, 'div', nesting);
  token.block = true;
  return token;
}
