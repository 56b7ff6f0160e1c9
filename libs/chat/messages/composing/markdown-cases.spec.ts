import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { env } from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { emojiNamed, readEmojiNames, UnicodeEmoji } from '#chat/emoji-names';
import { type MarkdownContext, renderMarkdown } from '#platform/markdown';

/**
 * The path of a list of cases in JSON, with the HTML that clients know:
 * `MARKDOWN_CASES=… npm run jest -- markdown-cases --selectProjects unit`.
 */
const file = env['MARKDOWN_CASES'];

const listOfCases = z.object({
  regular_tests: z.array(
    z.object({
      name: z.string(),
      input: z.string(),
      expected_output: z.string(),
      translate_emoticons: z.boolean().optional(),
    }),
  ),
});

type Case = z.infer<typeof listOfCases>['regular_tests'][number];

/** The cases that may differ. A list that the server follows less well needs a look at the differences. */
const MAX_DIFFERENCES = 8;

const PREVIEWED = /\.(?:png|jpg|mp4)$/;
const PROXY = 'https://external-content.zulipcdn.net/external_content';

/** The address of a file through the proxy that the list expects, which signs with a key of its own. */
const throughProxy = (address: string): string =>
  [
    PROXY,
    createHmac('sha1', 'dummy').update(address).digest('hex'),
    Buffer.from(address).toString('hex'),
  ].join('/');

/** The same HTML in one form: quotation marks in texts, and lengths to two digits. */
const normalized = (html: string): string =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:39|x27);/g, "'")
    .replaceAll(/-?\d+\.\d+em/g, (length) => `${Number.parseFloat(length).toFixed(2)}em`);

function contextFor(unicode: UnicodeEmoji, { translate_emoticons = false }: Case): MarkdownContext {
  return {
    ...emojiNamed(unicode, 1, []),
    findUser: () => undefined,
    findGroup: () => undefined,
    findChannel: () => undefined,
    hasEmoticons: translate_emoticons,
    address: 'http://zulip.testserver',
    previewOf: (address) => (PREVIEWED.test(address) ? throughProxy(address) : undefined),
  };
}

const run = file === undefined ? describe.skip : describe;

run('A list of cases (skipped unless MARKDOWN_CASES is the path of one)', () => {
  it('is rendered as clients know it', () => {
    const cases = listOfCases.parse(JSON.parse(readFileSync(file ?? '', 'utf8'))).regular_tests;
    const unicode = new UnicodeEmoji(readEmojiNames());
    const differences = cases.flatMap((one) => {
      const { html } = renderMarkdown(one.input, contextFor(unicode, one));
      const [expected, rendered] = [one.expected_output, html].map(normalized);
      return expected === rendered ? [] : [{ name: one.name, expected, rendered }];
    });
    process.stdout.write(`${cases.length - differences.length} of ${cases.length} cases agree\n`);
    process.stdout.write(`These differ: ${differences.map(({ name }) => name).join(', ')}\n`);
    expect(differences.slice(MAX_DIFFERENCES)).toEqual([]);
  });
});
