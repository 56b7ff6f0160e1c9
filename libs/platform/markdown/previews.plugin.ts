import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { contextOf, mayConvert } from './environment.js';

const VIDEO = /\.(?:mp4|webm)$/i;

/** A link to a picture or a video. */
interface Preview {
  readonly address: string;
  /** Where clients load it. */
  readonly source: string;
  /** The text of the link; empty for a link that shows its address. */
  readonly title: string;
}

/**
 * Shows pictures and videos below the paragraph, list item or table that links them, each once, and not in quotes. A
 * paragraph that consists of the address becomes the picture.
 */
export function previews(parser: MarkdownIt): void {
  parser.core.ruler.after('own_links', 'previews', (state) => {
    if (contextOf(state.env).previewOf !== undefined) state.tokens = withPreviews(state);
  });
  parser.renderer.rules['preview'] = (tokens, index) => {
    const { attrs } = tokens[index] ?? {};
    const [address = '', source = '', title = ''] = (attrs ?? []).map(([, value]) =>
      parser.utils.escapeHtml(String(value)),
    );
    const isVideo = VIDEO.test(pathOf(address));
    const titled = title === '' ? '' : ` title="${title}"`;
    const content = isVideo
      ? `<video preload="metadata" src="${source}"></video>`
      : `<img src="${source}">`;
    const className = isVideo
      ? 'message_inline_image message_inline_video'
      : 'message_inline_image';
    return `<div class="${className}"><a href="${address}"${titled}>${content}</a></div>`;
  };
}

function withPreviews(state: StateCore): Token[] {
  const shown = new Set<string>();
  const result: Token[] = [];
  let waiting: Token[] = [];
  let quoteDepth = 0;
  let isInTable = false;
  for (const [index, token] of state.tokens.entries()) {
    if (token.tag === 'blockquote') quoteDepth += token.nesting;
    if (token.tag === 'table') isInTable = token.nesting === 1;
    if (token.type === 'inline' && quoteDepth === 0) {
      const found = previewsIn(state, token).filter(({ address }) => !shown.has(address));
      const added = found.filter(() => mayConvert(state.env, 'previews', 1));
      for (const { address } of added) shown.add(address);
      waiting.push(...added.map((preview) => previewToken(state, preview)));
      const [open, close] = [state.tokens[index - 1], state.tokens[index + 1]];
      if (added.length > 0 && isAddressOnly(token) && open?.type === 'paragraph_open') {
        token.children = [];
        for (const edge of [open, close]) if (edge !== undefined) edge.hidden = true;
      }
    }
    result.push(token);
    // The paragraphs of a dense list are hidden.
    const isEnd = token.type === 'inline' ? isInHidden(result) : token.nesting === -1;
    if (isEnd && !isInTable && waiting.length > 0) {
      result.push(...waiting);
      waiting = [];
    }
  }
  return result;
}

/** Whether the newest token is the text of a paragraph that is not shown as one. */
const isInHidden = (tokens: readonly Token[]): boolean => tokens.at(-2)?.hidden === true;

function previewsIn(state: StateCore, { children }: Token): Preview[] {
  const { previewOf } = contextOf(state.env);
  const tokens = children ?? [];
  const found = new Map<string, Preview>();
  tokens.forEach((token, index) => {
    if (token.type !== 'link_open') return;
    const address = String(token.attrGet('href') ?? '');
    const source = previewOf?.(address);
    if (source === undefined || found.has(address)) return;
    const text = tokens[index + 1]?.content ?? '';
    found.set(address, { address, source, title: text === address ? '' : text });
  });
  return [...found.values()];
}

/** Whether a text is one link that shows its address. */
function isAddressOnly({ children }: Token): boolean {
  const tokens = (children ?? []).filter(({ type, content }) => type !== 'text' || content !== '');
  return (
    tokens.length === 3 &&
    tokens[0]?.type === 'link_open' &&
    tokens[0].attrGet('href') === tokens[1]?.content
  );
}

function previewToken(state: StateCore, { address, source, title }: Preview): Token {
  const token = new state.Token('preview', 'div', 0);
  token.block = true;
  token.attrs = [
    ['href', address],
    ['src', source],
    ['title', title],
  ];
  return token;
}

const pathOf = (address: string): string => address.split(/[?#]/, 1)[0] ?? '';
