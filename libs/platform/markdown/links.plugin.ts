import type { MarkdownIt, StateCore, Token } from 'markdown-it';

// A path of this site starts with one slash; two slashes start the address of another site.
const SAFE_ADDRESS = /^(?:https?:|mailto:|\/(?![/\\]))/i;

/** Allows only links that are safe to follow, and renders images as links. */
export function links(parser: MarkdownIt): void {
  parser.validateLink = (address) => SAFE_ADDRESS.test(address.trim());
  parser.core.ruler.after('inline', 'images_as_links', (state) => {
    for (const token of state.tokens) {
      if (token.children !== null) token.children = withoutImages(state, token.children);
    }
  });
}

function withoutImages(state: StateCore, tokens: readonly Token[]): Token[] {
  let linkLevel = 0;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open') linkLevel += 1;
    if (token.type === 'link_close') linkLevel -= 1;
    if (token.type !== 'image') return [token];
    // A link cannot contain another link.
    return linkLevel > 0 ? [label(state, token)] : link(state, token);
  });
}

function link(state: StateCore, image: Token): Token[] {
  const open = new state.Token('link_open', 'a', 1);
  open.attrs = [['href', addressOf(image)]];
  return [open, label(state, image), new state.Token('link_close', 'a', -1)];
}

function label(state: StateCore, image: Token): Token {
  const { renderer, options } = state.md;
  const text = new state.Token('text', '', 0);
  const description = renderer.renderInlineAsText(image.children ?? [], options, state.env);
  text.content = description === '' ? addressOf(image) : description;
  return text;
}

const addressOf = (image: Token): string => String(image.attrGet('src') ?? '');
