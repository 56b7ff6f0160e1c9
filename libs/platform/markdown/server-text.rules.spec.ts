import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { MarkdownContext } from './environment.js';
import { renderMarkdown } from './render-markdown.js';
import {
  channelLink,
  channelMention,
  fencedBlock,
  literalText,
  quoteBlock,
  silentGroupMention,
} from './server-text.rules.js';

const context: MarkdownContext = {
  findUser: (name) => ({ id: 12, name, isActive: true }),
  findGroup: (name) => ({ id: 3, name, isActive: true }),
  findChannel: () => 9,
  findEmoji: () => ({ code: '1f600' }),
  hasEmoticons: true,
};

const rendered = (source: string) => renderMarkdown(source, context);

/** Names that would mention, link or format as they are. */
const names = [
  'x** @**all** [sign in](https://evil.example)',
  'x* [log in again](https://evil.example)',
  String.raw`x\*\* @**Ada**`,
  '@*staff*',
  'https://evil.example',
  'evil.example/login',
  '`code` ~~struck~~ $$x$$ <b>',
  ':smile: :) #**general** <time:2026-01-01T00:00:00Z>',
  'x>y',
  'me@12',
  'x\n# y\r\n- z',
];

const shown = (text: string): string =>
  text
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

const none = { userIds: [], groupIds: [], isEveryone: false, isTopic: false };

describe(literalText.name, () => {
  it.each(names)('shows %j as it is', (name) => {
    const { html, mentions } = rendered(`from **${literalText(name)}** to`);
    expect(html.replaceAll('&quot;', '"')).toBe(`<p>from <strong>${shown(name)}</strong> to</p>`);
    expect(mentions).toEqual(none);
  });
});

describe(channelLink.name, () => {
  it.each(names)('links only the channel and its topic with the name %j', (name) => {
    for (const topic of [undefined, 'lunch', name]) {
      const place = { channel: { id: 9, name }, topic };
      const { html, mentions } = rendered(`moved to ${channelLink(place)} by`);
      expect(html.match(/<a [^>]*href="[^"]*"/g)).toEqual([
        expect.stringContaining('href="/#narrow/channel/9-'),
      ]);
      expect(mentions).toEqual(none);
    }
  });

  it.each([
    [undefined, '#**all hands**'],
    ['a > b', '#**all hands>a > b**'],
    ['', '#**all hands>**'],
    ['me@12', '[#all hands &#62; me&#64;12](/#narrow/channel/9-all-hands/topic/me.4012)'],
  ])('has the usual syntax if possible, for the topic %j', (topic, expected) => {
    expect(channelLink({ channel: { id: 9, name: 'all hands' }, topic })).toBe(expected);
  });
});

describe(channelMention.name, () => {
  it('may have the id of a message', () => {
    const channel = { id: 9, name: 'general' };
    expect(channelMention({ channel, topic: 'me@12', messageId: 7 })).toBe('#**general>me@12@7**');
  });
});

describe(silentGroupMention.name, () => {
  it.each(names)('mentions nothing else with the name %j', (name) => {
    const { html, mentions } = rendered(`added you to ${silentGroupMention(name)}.`);
    expect(html).not.toContain('<a ');
    expect(mentions).toEqual(none);
  });

  it('is a mention if the syntax allows it', () => {
    expect(silentGroupMention('on call')).toBe('@_*on call*');
  });
});

describe(quoteBlock.name, () => {
  it.each([
    ['plain', '``` quote\nplain\n```'],
    ['```', '```` quote\n```\n````'],
  ])('quotes %j', (text, expected) => {
    expect(quoteBlock(text)).toBe(expected);
  });
});

/** Whether a line closes a fence of this length (CommonMark). */
const closes = (line: string, length: number): boolean => {
  const [, run = ''] = /^ {0,3}(`+)[ \t]*$/.exec(line) ?? [];
  return run.length >= length;
};

describe(fencedBlock.name, () => {
  it.each([
    ['plain', '```quote\nplain\n```'],
    ['`code`', '```quote\n`code`\n```'],
    ['```\ncode\n```', '````quote\n```\ncode\n```\n````'],
    ['a `````` b ```', '```````quote\na `````` b ```\n```````'],
    ['', '```quote\n\n```'],
  ])('fences %j as %j', (text, expected) => {
    expect(fencedBlock('quote', text)).toBe(expected);
  });

  it('is closed only by its last line', () => {
    const texts = fc.string({ unit: fc.constantFrom('`', '``', '~', '\n', ' ', '\t', '\r', 'a') });
    fc.assert(
      fc.property(texts, (text) => {
        const lines = fencedBlock('spoiler', text).split(/\r\n|\n|\r/);
        const length = /^`+/.exec(lines[0] ?? '')?.[0].length ?? 0;
        const closing = lines.slice(1).findIndex((line) => closes(line, length));
        expect(closing).toBe(lines.length - 2);
      }),
    );
  });
});
