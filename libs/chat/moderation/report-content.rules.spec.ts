import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { renderMarkdown } from '#platform/markdown';
import {
  confirmationContent,
  type MessageReport,
  reportContent,
  type ReportedMessage,
  reportTopic,
} from './report-content.rules.js';

const alice = { id: 3, fullName: 'Alice' };
const bob = { id: 4, fullName: 'Bob' };
const carol = { id: 5, fullName: 'Carol' };

const inChannel: ReportedMessage = {
  id: 7,
  channel: { id: 1, name: 'general' },
  topic: 'lunch',
  people: null,
  sender: bob,
  sentAt: new Date('2026-01-05T09:00:00.123Z'),
  content: 'Buy now!',
};
const direct = (sender: typeof bob, ...people: readonly (typeof bob)[]): ReportedMessage => ({
  ...inChannel,
  channel: null,
  topic: '',
  people,
  sender,
});
const report = (message: ReportedMessage, more: Partial<MessageReport> = {}): MessageReport => ({
  reporter: alice,
  message,
  type: 'spam',
  description: '',
  ...more,
});
const headlineOf = (one: MessageReport): string => reportContent(one).split('\n')[0] ?? '';

describe(reportTopic.name, () => {
  it.each([
    ['Bob', 'Bob moderation'],
    ['x'.repeat(49), `${'x'.repeat(49)} moderation`],
    ['x'.repeat(50), `${'x'.repeat(49)} moderation`],
    ['🎉'.repeat(60), `${'🎉'.repeat(49)} moderation`],
    [`${'x'.repeat(48)} Smith`, `${'x'.repeat(48)} moderation`],
  ])('derives from the name %j the topic %j of at most 60 characters', (fullName, expected) => {
    expect(reportTopic(fullName)).toBe(expected);
    expect([...reportTopic(fullName)].length).toBeLessThanOrEqual(60);
  });
});

describe(reportContent.name, () => {
  it('contains reporter, reason and message', () => {
    expect(reportContent(report(inChannel, { description: ' Again. ' }))).toBe(
      [
        '@_**Alice|3** reported a message sent by @_**Bob|4** at <time:2026-01-05T09:00:00Z>.',
        '```quote',
        '**Spam**. Again.',
        '```',
        '````spoiler Original message at #**general>lunch@7**',
        '```quote',
        'Buy now!',
        '```',
        '````',
      ].join('\n'),
    );
  });

  it.each([
    ['spam', 'Spam'],
    ['harassment', 'Harassment'],
    ['inappropriate', 'Inappropriate content'],
    ['norms', 'Violation of community norms'],
    ['other', 'Other reason'],
  ] as const)('names the reason %s', (type, title) => {
    expect(reportContent(report(inChannel, { type }))).toContain(`\n**${title}**.\n`);
  });

  it.each([
    ['a message in a channel', inChannel, ''],
    ['a message to the reporter alone', direct(bob, alice, bob), ''],
    ['a message to several', direct(bob, alice, bob, carol), ' to @_**Alice|3** and @_**Carol|5**'],
    ['one’s own message', direct(alice, alice, bob), ' to @_**Bob|4**'],
    ['a message to oneself', direct(alice, alice), ' to @_**Alice|3**'],
    [
      'a message to three others',
      direct(bob, alice, bob, carol, { id: 6, fullName: 'Dora' }),
      ' to @_**Alice|3**, @_**Carol|5**, and @_**Dora|6**',
    ],
  ])('lists the recipients of %s unless the reporter was the only one', (_what, message, to) => {
    const { id, fullName } = message.sender;
    expect(headlineOf(report(message))).toBe(
      `@_**Alice|3** reported a message sent by @_**${fullName}|${id}**${to} at <time:2026-01-05T09:00:00Z>.`,
    );
  });

  it.each([
    [11, '1 other'],
    [1000, '990 others'],
  ])('lists ten of %i recipients and counts the others', (count, others) => {
    const people = Array.from({ length: count }, (_, id) => ({ id: 100 + id, fullName: 'x' }));
    const headline = headlineOf(report(direct(bob, bob, ...people)));
    expect(headline).toContain(`@_**x|109**, and ${others} at`);
    expect(headline.match(/@_/g)).toHaveLength(12);
  });

  it.each([
    ['a message of 10000 characters', 'x'.repeat(10_000)],
    ['10000 emoji', '🎉'.repeat(10_000)],
    ['nothing but backticks', '`'.repeat(10_000)],
  ])('truncates %s to the limit', (_what, content) => {
    const text = reportContent(report({ ...inChannel, content }));
    expect([...text].length).toBeLessThanOrEqual(10_000);
    // Each removed backtick shortens four fences, so the result can be slightly below the limit.
    expect([...text].length).toBeGreaterThan(9990);
    expect(text).toMatch(/\n\[message truncated\]\n`+\n`+$/);
  });

  it('does not truncate content that fits', () => {
    const frame = [...reportContent(report({ ...inChannel, content: '' }))].length;
    const content = 'x'.repeat(10_000 - frame);
    const text = reportContent(report({ ...inChannel, content }));
    expect([...text]).toHaveLength(10_000);
    expect(text).not.toContain('truncated');
    expect(reportContent(report({ ...inChannel, content: `${content}x` }))).toContain('truncated');
  });

  const markup = (maxLength: number, ...more: readonly string[]) =>
    fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '`',
          '```',
          '````\n',
          '~~~',
          '\n',
          '\n\n',
          '\r',
          '    ',
          '> ',
          '- ',
          '@**all**',
        ),
        fc.constantFrom('```quote\n', '<div>', '</blockquote>', '|', '#', '\\', ...more),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
      size: 'large',
      maxLength,
    });

  it('keeps any message and any description inside their fences', () => {
    const context = {
      findUser: (name: string, id: number | undefined) =>
        id === undefined ? undefined : { id, name, isActive: true },
      findGroup: () => undefined,
      findChannel: () => 1,
    };
    const shell = (content: string, description: string): string =>
      renderMarkdown(reportContent(report({ ...inChannel, content }, { description })), context)
        .html.replace(/<blockquote>[^]*?<\/blockquote>\s*(?=<div class="spoiler-block">)/, 'REASON')
        .replace(/<div class="spoiler-content"[^]*<\/div>\s*<\/div>$/, 'MESSAGE');
    const expected = shell('plain', 'plain');
    expect(expected).toMatch(/^<p>.*<\/p>\s*REASON<div class="spoiler-block">[^]*MESSAGE$/);
    // `shell` finds the end of the description by the first spoiler, so descriptions contain none.
    const descriptions = markup(100);
    fc.assert(
      fc.property(markup(4000, '```spoiler x\n'), descriptions, (content, description) => {
        const whole = reportContent(report({ ...inChannel, content }, { description }));
        expect([...whole].length).toBeLessThanOrEqual(10_000);
        expect(shell(content, description)).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });
});

describe(confirmationContent.name, () => {
  it('links the message and names the reason', () => {
    expect(confirmationContent(inChannel, 'norms')).toBe(
      'You reported [a message](/#narrow/channel/1-general/topic/lunch/near/7) for a violation of community norms.',
    );
    expect(confirmationContent(direct(bob, alice, bob), 'other')).toBe(
      'You reported [a message](/#narrow/dm/3,4-dm/near/7) for another reason.',
    );
  });
});
