import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { contextOf } from './environment.js';

// A path of this site starts with one slash; two slashes start the address of another site. Clients open fragments themselves.
const SAFE_ADDRESS = /^(?:(?:https?|mailto|mid|sms|tel):|\/(?![/\\])|#narrow\/)/i;

/**
 * The characters that may precede and follow an address that is a link without marks. Writing systems without spaces put
 * their letters and marks beside it.
 */
const BEFORE_ADDRESS = /[\s'"(,:<\u0080-\u{10ffff}]$/u;
const BEHIND_ADDRESS = /^[:;?!),.'"\]>]{0,10}(?:[\s\u0080-\u{10ffff}]|$)/u;

/** Domains beside those of countries and of the library's own list. */
const FURTHER_TOP_DOMAINS = 'app blog chat cloud dev online page site store tech wiki xyz'.split(
  ' ',
);

/** Names of files that look like domains. */
const FILE_NAME = /^[^/?#@]*\.(?:md|py)$/i;

/** Paths of an organisation that clients open themselves. */
const OWN_PATH = /^\/(?=#)|^(?=\/user_uploads\/)/;

/**
 * Allows only links that are safe to follow. Renders images as links, and gives links without a text their address as
 * text. Links into the organisation become relative. The marks of `<address>` are text.
 */
export function links(parser: MarkdownIt): void {
  parser.validateLink = (address) => SAFE_ADDRESS.test(address.trim());
  parser.normalizeLinkText = (address) => address;
  // Addresses that begin with two slashes are not safe. Looking for them takes time that grows with the square of the text.
  parser.linkify.add('//').set({ fuzzyLink: true, urlAuth: true }).tlds(FURTHER_TOP_DOMAINS, true);
  parser.inline.ruler.disable('autolink');
  parser.core.ruler.after('inline', 'links', (state) => {
    for (const token of state.tokens) {
      if (token.type === 'inline' && token.children !== null) {
        token.children = withText(state, withoutImages(state, token.children));
      }
    }
  });
  parser.core.ruler.after('linkify', 'own_links', (state) => {
    for (const block of state.tokens) {
      if (block.type !== 'inline' || block.children === null) continue;
      block.children = withoutLastColons(state, withoutPartsOfWords(block.children));
      const { address } = contextOf(state.env);
      if (address !== undefined) makeRelative(block.children, address);
    }
  });
}

/** Whether the parser found the address at a position in text, without marks around it. */
const isFoundAddress = (open: Token | undefined): boolean =>
  open?.type === 'link_open' && open.info === 'auto';

/** Puts the colon at the end of an address behind the link. */
function withoutLastColons(state: StateCore, tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token, index) => {
    const [open, shown] = [tokens[index - 2], tokens[index - 1]];
    if (token.type !== 'link_close' || !isFoundAddress(open)) return [token];
    if (open === undefined || shown?.content.endsWith(':') !== true) return [token];
    open.attrSet('href', addressOf(open).slice(0, -1));
    shown.content = shown.content.slice(0, -1);
    return [token, text(state, ':')];
  });
}

/** Keeps addresses within other text, such as HTML, and names of files as text. */
function withoutPartsOfWords(tokens: readonly Token[]): Token[] {
  return tokens.filter(({ type }, index) => {
    const start = type === 'link_close' ? index - 2 : index;
    const open = type === 'link_open' || type === 'link_close' ? tokens[start] : undefined;
    if (!isFoundAddress(open)) return true;
    const [before, shown, behind] = [tokens[start - 1], tokens[start + 1], tokens[start + 3]];
    return (
      !FILE_NAME.test(shown?.content ?? '') &&
      (before?.type !== 'text' || BEFORE_ADDRESS.test(before.content)) &&
      (behind?.type !== 'text' || BEHIND_ADDRESS.test(behind.content))
    );
  });
}

function makeRelative(tokens: readonly Token[], address: string): void {
  for (const token of tokens) {
    if (token.type === 'link_open') token.attrSet('href', relativeTo(address, addressOf(token)));
  }
}

function relativeTo(address: string, href: string): string {
  if (!href.startsWith(address)) return href;
  const path = href.slice(address.length);
  return OWN_PATH.test(path) ? path.replace(OWN_PATH, '') : href;
}

/** Adds the address to links without a text. */
function withText(state: StateCore, tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token, index) => {
    const [open, next] = [tokens[index - 1], tokens[index + 1]];
    if (token.type === 'link_close' && open?.type === 'link_open') {
      return [text(state, addressOf(open)), token];
    }
    const isBlank = token.type === 'text' && token.content.trim() === '';
    return isBlank && open?.type === 'link_open' && next?.type === 'link_close'
      ? [text(state, addressOf(open))]
      : [token];
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
  const description = renderer.renderInlineAsText(image.children ?? [], options, state.env);
  return text(state, description === '' ? addressOf(image) : description);
}

function text(state: StateCore, content: string): Token {
  const token = new state.Token('text', '', 0);
  token.content = content;
  return token;
}

const addressOf = (token: Token): string =>
  String(token.attrGet(token.type === 'image' ? 'src' : 'href') ?? '');
