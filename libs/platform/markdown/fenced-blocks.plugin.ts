import type { MarkdownIt, StateCore, Token } from 'markdown-it';

/** The nesting depth of quotes and spoilers; a deeper fence is shown as code. */
const MAX_DEPTH = 5;
const LANGUAGE = /^[\w+#.-]{1,40}$/;
const QUOTE = /^quote\s*$/;
const SPOILER = /^spoiler(?:\s+(.*))?$/;

/** Renders fences: code, and quotes and spoilers, whose content is Markdown. */
export function fencedBlocks(parser: MarkdownIt): void {
  parser.core.ruler.after('block', 'fences_of_markdown', (state) => {
    state.tokens = expandFences(state, state.tokens, 0);
  });
  const code = (tokens: Token[], index: number): string => codeBlock(parser, tokens[index]);
  parser.renderer.rules['fence'] = code;
  parser.renderer.rules['code_block'] = code;
}

function codeBlock(parser: MarkdownIt, token: Token | undefined): string {
  const [language = ''] = parser.utils
    .unescapeAll(token?.info ?? '')
    .trim()
    .split(/\s/, 1);
  const attribute = LANGUAGE.test(language) ? ` data-code-language="${language}"` : '';
  const code = parser.utils.escapeHtml(token?.content ?? '');
  return `<div class="codehilite"${attribute}><pre><span></span><code>${code}</code></pre></div>\n`;
}

/** Replaces each quote and spoiler fence by the tokens of its content. */
function expandFences(state: StateCore, tokens: readonly Token[], depth: number): Token[] {
  if (depth === MAX_DEPTH) return [...tokens];
  return tokens.flatMap((token) => {
    const info = token.type === 'fence' ? token.info.trim() : '';
    if (QUOTE.test(info)) {
      return wrapped(state, 'blockquote', null, contentOf(state, token, depth));
    }
    const spoiler = SPOILER.exec(info);
    return spoiler === null
      ? [token]
      : spoilerBlock(state, spoiler[1] ?? '', contentOf(state, token, depth));
  });
}

function contentOf(state: StateCore, fence: Token, depth: number): Token[] {
  const tokens: Token[] = [];
  state.md.block.parse(fence.content, state.md, state.env, tokens);
  return expandFences(state, tokens, depth + 1);
}

function spoilerBlock(state: StateCore, title: string, content: readonly Token[]): Token[] {
  const header = wrapped(state, 'div', [['class', 'spoiler-header']], titleLine(state, title));
  const attributes: Token['attrs'] = [
    ['class', 'spoiler-content'],
    ['aria-hidden', 'true'],
  ];
  const body = wrapped(state, 'div', attributes, content);
  return wrapped(state, 'div', [['class', 'spoiler-block']], [...header, ...body]);
}

function titleLine(state: StateCore, title: string): Token[] {
  if (title === '') return [];
  const inline = new state.Token('inline', '', 0);
  inline.content = title;
  inline.children = [];
  return wrapped(state, 'p', null, [inline]);
}

function wrapped(
  state: StateCore,
  tag: string,
  attributes: Token['attrs'],
  content: readonly Token[],
): Token[] {
  const open = new state.Token('wrapper_open', tag, 1);
  const close = new state.Token('wrapper_close', tag, -1);
  open.attrs = attributes;
  open.block = true;
  close.block = true;
  return [open, ...content, close];
}
