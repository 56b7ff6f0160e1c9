import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { contextOf, type LinkMatch, mayConvert } from './environment.js';

/** Turns the texts that the linkifiers of the organisation match into links, except within other links. */
export function linkifiers(parser: MarkdownIt): void {
  parser.core.ruler.after('own_links', 'linkifiers', (state) => {
    const { linksIn } = contextOf(state.env);
    if (linksIn === undefined) return;
    for (const block of state.tokens) {
      if (block.type !== 'inline' || block.children === null) continue;
      let linkLevel = 0;
      block.children = block.children.flatMap((token) => {
        if (token.type === 'link_open') linkLevel += 1;
        if (token.type === 'link_close') linkLevel -= 1;
        if (token.type !== 'text' || linkLevel > 0) return [token];
        return withLinks(state, token, linksIn(token.content));
      });
    }
  });
}

function withLinks(state: StateCore, token: Token, links: readonly LinkMatch[]): Token[] {
  const { content } = token;
  const tokens: Token[] = [];
  let position = 0;
  for (const { start, end, address } of links) {
    if (!state.md.validateLink(address) || !mayConvert(state.env, 'links', 1)) continue;
    const open = new state.Token('link_open', 'a', 1);
    open.attrs = [['href', address]];
    const close = new state.Token('link_close', 'a', -1);
    tokens.push(textOf(state, content.slice(position, start)), open);
    tokens.push(textOf(state, content.slice(start, end)), close);
    position = end;
  }
  return tokens.length === 0 ? [token] : [...tokens, textOf(state, content.slice(position))];
}

function textOf(state: StateCore, content: string): Token {
  const token = new state.Token('text', '', 0);
  token.content = content;
  return token;
}
