import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { renderMarkdown } from '#markdown';
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
  ])('makes of %j the topic %j, of at most 60 characters', (fullName, expected) => {
    expect(reportTopic(fullName)).toBe(expected);
    expect([...reportTopic(fullName)].length).toBeLessThanOrEqual(60);
  });
});

describe(reportContent.name, () => {
  it('tells who reports what, and why', () => {
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
  ])('tells the recipients of %s where that does not go without saying', (_what, message, to) => {
    const { id, fullName } = message.sender;
    expect(headlineOf(report(message))).toBe(
      `@_**Alice|3** reported a message sent by @_**${fullName}|${id}**${to} at <time:2026-01-05T09:00:00Z>.`,
    );
  });

  it.each([
    [11, '1 other'],
    [1000, '990 others'],
  ])('counts those of %i recipients whom it does not name', (count, others) => {
    const people = Array.from({ length: count }, (_, id) => ({ id: 100 + id, fullName: 'x' }));
    const headline = headlineOf(report(direct(bob, bob, ...people)));
    expect(headline).toContain(`@_**x|109**, and ${others} at`);
    expect(headline.match(/@_/g)).toHaveLength(12);
  });

  it.each([
    ['a message of 10000 characters', 'x'.repeat(10_000)],
    ['10000 emoji', '🎉'.repeat(10_000)],
    ['nothing but backticks', '`'.repeat(10_000)],
  ])('cuts %s to what there is room for', (_what, content) => {
    const text = reportContent(report({ ...inChannel, content }));
    expect([...text].length).toBeLessThanOrEqual(10_000);
    // Each backtick that is left out shortens four fences with it.
    expect([...text].length).toBeGreaterThan(9990);
    expect(text).toMatch(/\n\[message truncated\]\n`+\n`+$/);
  });

  it('cuts nothing that there is room for', () => {
    const frame = [...reportContent(report({ ...inChannel, content: '' }))].length;
    const content = 'x'.repeat(10_000 - frame);
    const text = reportContent(report({ ...inChannel, content }));
    expect([...text]).toHaveLength(10_000);
    expect(text).not.toContain('truncated');
    expect(reportContent(report({ ...inChannel, content: `${content}x` }))).toContain('truncated');
  });

  const nasty = (maxLength: number, ...more: readonly string[]) =>
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

  it('shows neither message nor description outside their fences, whatever they are', () => {
    const context = {
      findUser: (_name: string, id: number | undefined) => id,
      findGroup: () => undefined,
      findChannel: () => 1,
    };
    const shell = (content: string, description: string): string =>
      renderMarkdown(reportContent(report({ ...inChannel, content }, { description })), context)
        .replace(/<blockquote>[^]*?<\/blockquote>\s*(?=<div class="spoiler-block">)/, 'WHY')
        .replace(/<div class="spoiler-content"[^]*<\/div>\s*<\/div>$/, 'WHAT');
    const expected = shell('plain', 'plain');
    expect(expected).toMatch(/^<p>.*<\/p>\s*WHY<div class="spoiler-block">[^]*WHAT$/);
    // What is compared tells the description from the message by the first spoiler.
    const descriptions = nasty(100);
    fc.assert(
      fc.property(nasty(4000, '```spoiler x\n'), descriptions, (content, description) => {
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
