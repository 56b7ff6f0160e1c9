import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { env } from 'node:process';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { emojiNamed, readEmojiNames, UnicodeEmoji } from '#chat/emoji-names';
import { type MarkdownContext, plainTextOf, renderMarkdown } from '#platform/markdown';

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
      text_content: z.string().optional(),
      translate_emoticons: z.boolean().optional(),
    }),
  ),
  /** A text, its HTML, and the link for which `%s` stands in the HTML. */
  linkify_tests: z.array(z.tuple([z.string(), z.string(), z.string()])),
});

type Case = z.infer<typeof listOfCases>['regular_tests'][number];

/** A case with the results of both sides. */
interface Compared {
  readonly name: string;
  readonly expected: string;
  readonly rendered: string;
}

/** The differences of docs/markdown.md. A list that the server follows less well needs a look. */
const KNOWN_DIFFERENCES = { texts: 10, addresses: 9, notifications: 5 };

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

/** The words of a notification, without the marks of items. */
const wordsOf = (text: string): string =>
  text.replaceAll('•', ' ').replaceAll(/\s+/g, ' ').replaceAll('[…] ', '[…]').trim();

/** The address of a link that is written without a scheme. */
function hrefOf(link: string): string {
  if (/^[a-z]+:/.test(link)) return link;
  return /^[^/]+@/.test(link) ? `mailto:${link}` : `http://${link}`;
}

const withLink = (html: string, link: string): string =>
  html.replace('%s', `<a href="${hrefOf(link)}">${link}</a>`);

function contextFor(
  unicode: UnicodeEmoji,
  { translate_emoticons = false }: Partial<Case>,
): MarkdownContext {
  return {
    ...emojiNamed(unicode, 1, []),
    findUser: (name, id) => (id === undefined ? undefined : { id, name, isActive: true }),
    findGroup: () => undefined,
    findChannel: () => undefined,
    hasEmoticons: translate_emoticons,
    address: 'http://zulip.testserver',
    previewOf: (address) => (PREVIEWED.test(address) ? throughProxy(address) : undefined),
  };
}

const run = file === undefined ? describe.skip : describe;

/** Prints how many cases agree, and the names of the others. Returns the differences beyond the known ones. */
function unknownOf(all: readonly Compared[], known: number): readonly Compared[] {
  const differences = all.filter(({ expected, rendered }) => expected !== rendered);
  process.stdout.write(`${all.length - differences.length} of ${all.length} cases agree\n`);
  process.stdout.write(`These differ: ${differences.map(({ name }) => name).join(', ')}\n`);
  return differences.slice(known);
}

run('A list of cases (skipped unless MARKDOWN_CASES is the path of one)', () => {
  const unicode = new UnicodeEmoji(readEmojiNames());
  const { regular_tests: cases, linkify_tests: addresses } =
    file === undefined
      ? { regular_tests: [], linkify_tests: [] }
      : listOfCases.parse(JSON.parse(readFileSync(file, 'utf8')));
  const htmlOf = (source: string, one: Partial<Case>): string =>
    renderMarkdown(source, contextFor(unicode, one)).html;

  it('is rendered as clients know it', () => {
    const compared = cases.map((one) => ({
      name: one.name,
      expected: normalized(one.expected_output),
      rendered: normalized(htmlOf(one.input, one)),
    }));
    expect(unknownOf(compared, KNOWN_DIFFERENCES.texts)).toEqual([]);
  });

  it('has the links that clients know', () => {
    const compared = addresses.map(([name, html, link]) => ({
      name,
      expected: normalized(withLink(html, link)),
      rendered: normalized(htmlOf(name, {})),
    }));
    expect(unknownOf(compared, KNOWN_DIFFERENCES.addresses)).toEqual([]);
  });

  it('has the words in notifications that clients know', () => {
    const compared = cases.flatMap((one) =>
      one.text_content === undefined
        ? []
        : {
            name: one.name,
            expected: wordsOf(one.text_content),
            rendered: wordsOf(plainTextOf(htmlOf(one.input, one))),
          },
    );
    expect(unknownOf(compared, KNOWN_DIFFERENCES.notifications)).toEqual([]);
  });
});
