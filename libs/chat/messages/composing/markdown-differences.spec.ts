import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { emojiNamed, readEmojiNames, UnicodeEmoji } from '#chat/emoji-names';
import { type MarkdownContext, renderMarkdown } from '#platform/markdown';

/** A page with a table of Markdown, the HTML of other servers, that of this one, and the reason for the difference. */
const page = readFileSync(new URL('../../../../docs/markdown.md', import.meta.url), 'utf8');

/** The rows: three cells of code and one of text. */
const ROW = /^\| `([^`]+)` +\| `([^`]+)` +\| `([^`]+)` +\| \S.* \|$/gm;
const rows = [...page.matchAll(ROW)].map(([, source = '', elsewhere = '', here = '']) => ({
  source: source.replaceAll(String.raw`\n`, '\n'),
  elsewhere: elsewhere.replaceAll(String.raw`\n`, '\n'),
  here: here.replaceAll(String.raw`\n`, '\n'),
}));

const context: MarkdownContext = {
  ...emojiNamed(new UnicodeEmoji(readEmojiNames()), 1, []),
  findUser: () => undefined,
  findGroup: () => undefined,
  findChannel: () => undefined,
};

describe('The table of docs/markdown.md', () => {
  it('has every row of the page', () => {
    const lines = page.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toHaveLength(lines.length);
    expect(rows.length).toBeGreaterThan(0);
  });

  it.each(rows)('has the HTML of $source', ({ source, elsewhere, here }) => {
    expect(renderMarkdown(source, context).html).toBe(here);
    expect(here).not.toBe(elsewhere);
  });
});
