import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { emojiNamed, readEmojiNames, UnicodeEmoji } from '#chat/emoji-names';
import { type MarkdownContext, renderMarkdown } from '#platform/markdown';

/** A page with items of Markdown, each with the HTML of other servers and that of this one. */
const page = readFileSync(new URL('../../../../docs/markdown.md', import.meta.url), 'utf8');

const ITEM = /^- `([^`]+)`\n {2}- other servers: `([^`]+)`\n {2}- Carillon: `([^`]+)`$/gm;
const withLines = (code: string): string => code.replaceAll(String.raw`\n`, '\n');
const items = [...page.matchAll(ITEM)].map(([, source = '', elsewhere = '', here = '']) => ({
  source: withLines(source),
  elsewhere: withLines(elsewhere),
  here: withLines(here),
}));

const context: MarkdownContext = {
  ...emojiNamed(new UnicodeEmoji(readEmojiNames()), 1, []),
  findUser: () => undefined,
  findGroup: () => undefined,
  findChannel: () => undefined,
};

describe('docs/markdown.md', () => {
  it('has items that this test can read', () => {
    expect(page.split('\n').filter((line) => line.startsWith('- `'))).toHaveLength(items.length);
    expect(items.length).toBeGreaterThan(0);
  });

  it.each(items)('tells the HTML of $source', ({ source, elsewhere, here }) => {
    expect(renderMarkdown(source, context).html).toBe(here);
    expect(here).not.toBe(elsewhere);
  });
});
