import type { Token } from 'markdown-it';

/** Replaces the text tokens of a source, but not the text of automatic links. */
export function eachText(tokens: readonly Token[], replace: (token: Token) => Token[]): void {
  for (const block of tokens) {
    if (block.children === null || block.type !== 'inline') continue;
    let isAddress = false;
    block.children = block.children.flatMap((token) => {
      if (token.type === 'link_open') isAddress = token.info === 'auto';
      if (token.type === 'link_close') isAddress = false;
      return token.type === 'text' && !isAddress ? replace(token) : [token];
    });
  }
}
