import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { contextOf, mayConvert } from './environment.js';

/**
 * `![description](/user_uploads/…)`: shows an uploaded picture in the line, and plays an uploaded sound. Other images become
 * links, and so do those within links and in a rendering that does not know the files.
 */
export function uploadedMedia(parser: MarkdownIt): void {
  // Before the rule that makes links of images.
  parser.core.ruler.before('links', 'uploaded_media', (state) => {
    if (contextOf(state.env).mediaOf === undefined) return;
    for (const { type, children } of state.tokens) {
      if (type === 'inline' && children !== null) showMedia(state, children);
    }
  });
  parser.renderer.rules['uploaded_image'] = (tokens, index) => {
    const [source, description] = textsOf(parser, tokens[index]);
    return `<img alt="${description}" class="inline-image" src="${source}">`;
  };
  parser.renderer.rules['uploaded_audio'] = (tokens, index) => {
    const [source, description] = textsOf(parser, tokens[index]);
    const title = description === '' ? '' : ` title="${description}"`;
    return `<audio controls preload="metadata" src="${source}"${title}></audio>`;
  };
}

function showMedia(state: StateCore, tokens: readonly Token[]): void {
  const { mediaOf, address = '' } = contextOf(state.env);
  let linkLevel = 0;
  for (const token of tokens) {
    linkLevel += token.type.startsWith('link_') ? token.nesting : 0;
    if (token.type !== 'image' || linkLevel > 0) continue;
    const given = String(token.attrGet('src') ?? '');
    const source = given.startsWith(`${address}/`) ? given.slice(address.length) : given;
    const kind = mediaOf?.(source);
    if (kind === undefined || !mayConvert(state.env, 'previews', 1)) continue;
    const { renderer, options } = state.md;
    token.content = renderer.renderInlineAsText(token.children ?? [], options, state.env);
    token.type = `uploaded_${kind}`;
    token.attrs = [['src', source]];
    token.children = null;
  }
}

function textsOf(parser: MarkdownIt, token: Token | undefined): [string, string] {
  const { escapeHtml } = parser.utils;
  return [escapeHtml(String(token?.attrGet('src') ?? '')), escapeHtml(token?.content ?? '')];
}
