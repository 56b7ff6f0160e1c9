import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  clientName,
  conversationKey,
  linkedPaths,
  membersOf,
  recipientId,
} from './new-message.rules.js';

describe(linkedPaths.name, () => {
  it.each([
    ['nothing in plain text', 'no link at all', []],
    ['a link', '[plan](/user_uploads/2/ab/x1_-Y/plan.png)', ['2/ab/x1_-Y/plan.png']],
    ['a path in text', 'see /user_uploads/2/x/plan.png here', ['2/x/plan.png']],
    ['a full URL', 'https://chat.test/user_uploads/2/x/plan.png', ['2/x/plan.png']],
    ['a download', '/user_uploads/download/2/x/plan.png', ['2/x/plan.png']],
    ['a repeated link once', '/user_uploads/2/x /user_uploads/2/x', ['2/x']],
    ['a query', '/user_uploads/2/x/plan.png?size=1#top', ['2/x/plan.png']],
    ['letters that are not ASCII', '(/user_uploads/2/x/für-Мая.png)', ['2/x/für-Мая.png']],
    ['percent-encoding', '/user_uploads/2/x/f%C3%BCr.png', ['2/x/für.png']],
    ['malformed percent-encoding', '/user_uploads/2/x/100%.png', ['2/x/100%.png']],
    ['an escaped NUL', '/user_uploads/2/x/a%00b', ['2/x/ab']],
    ['nothing without the id of an organisation', '/user_uploads/x/plan.png', []],
    ['nothing without a path', '/user_uploads/2/', []],
  ])('finds %s', (_what, source, expected) => {
    expect(linkedPaths(source)).toEqual(expected);
  });

  it('returns a path with and without trailing punctuation', () => {
    expect(linkedPaths('Look at /user_uploads/2/x/plan.png.')).toEqual([
      '2/x/plan.png.',
      '2/x/plan.png',
    ]);
  });

  it('finds a link between any delimiters', () => {
    const around = fc.constantFrom(' ', '\n', '(', ')', '[', ']', '<', '>', '"', '`');
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}[a-z0-9]$/);
    fc.assert(
      fc.property(around, around, name, (before, after, name_) => {
        const source = `text${before}/user_uploads/7/${name_}${after}text`;
        expect(linkedPaths(source)).toEqual([`7/${name_}`]);
      }),
    );
  });
});

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 2_147_483_647 }), { minLength: 1 });

describe(membersOf.name, () => {
  it('returns each member once, including the sender, in ascending order', () => {
    expect(membersOf(5, [12, 3, 12, 100])).toEqual([3, 5, 12, 100]);
    expect(membersOf(5, [5])).toEqual([5]);
  });

  it('does not depend on the sender', () => {
    fc.assert(
      fc.property(ids, (people) => {
        const [sender = 1, ...others] = people;
        const other = others[0] ?? sender;
        expect(membersOf(sender, people)).toEqual(membersOf(other, people));
      }),
    );
  });
});

describe(conversationKey.name, () => {
  it('joins the ids of a small conversation', () => {
    expect(conversationKey([3, 5, 12])).toBe('3,5,12');
  });

  it('fits an index entry for the largest conversation', () => {
    const crowd = Array.from({ length: 1001 }, (_, index) => 2_000_000_000 + index);
    expect(conversationKey(crowd)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(conversationKey(crowd)).toBe(conversationKey([...crowd]));
    expect(conversationKey(crowd)).not.toBe(conversationKey(crowd.slice(1)));
    const some = crowd.slice(0, 181);
    expect(conversationKey(some)).toBe(some.join(','));
    expect(conversationKey(some).length).toBeLessThanOrEqual(2000);
  });
});

describe(recipientId.name, () => {
  it('differs for any two places', () => {
    fc.assert(
      fc.property(ids, ids, (channels, conversations) => {
        const given = [
          ...channels.map((channelId) => recipientId({ channelId, conversationId: null })),
          ...conversations.map((conversationId) =>
            recipientId({ channelId: null, conversationId }),
          ),
        ];
        expect(new Set(given).size).toBe(given.length);
      }),
    );
  });
});

describe(clientName.name, () => {
  it.each([
    ['ChatMobile/30.0 (Android 15)', 'ChatMobile'],
    ['curl', 'curl'],
    [' Some Program /1', 'Some Program'],
    ['', ''],
    ['/1.0', ''],
    [undefined, ''],
    ['x'.repeat(61), 'x'.repeat(60)],
  ])('reads %j as %j', (userAgent, name) => {
    expect(clientName(userAgent)).toBe(name);
  });
});
