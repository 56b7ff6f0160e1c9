import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { linkedPaths } from './file-links.rules.js';

describe(linkedPaths.name, () => {
  it.each([
    ['nothing', 'no link at all', []],
    ['a link', '[plan](/user_uploads/2/ab/x1_-Y/plan.png)', ['2/ab/x1_-Y/plan.png']],
    ['a bare path', 'see /user_uploads/2/x/plan.png here', ['2/x/plan.png']],
    ['a whole address', 'https://chat.test/user_uploads/2/x/plan.png', ['2/x/plan.png']],
    ['a download', '/user_uploads/download/2/x/plan.png', ['2/x/plan.png']],
    ['the same twice', '/user_uploads/2/x /user_uploads/2/x', ['2/x']],
    ['a query', '/user_uploads/2/x/plan.png?size=1#top', ['2/x/plan.png']],
    ['letters of all kinds', '(/user_uploads/2/x/für-Мая.png)', ['2/x/für-Мая.png']],
    ['percent signs', '/user_uploads/2/x/f%C3%BCr.png', ['2/x/für.png']],
    ['percent signs that mean nothing', '/user_uploads/2/x/100%.png', ['2/x/100%.png']],
    ['an escaped NUL', '/user_uploads/2/x/a%00b', ['2/x/ab']],
    ['no number', '/user_uploads/x/plan.png', []],
    ['no path', '/user_uploads/2/', []],
  ])('finds %s', (_what, source, expected) => {
    expect(linkedPaths(source)).toEqual(expected);
  });

  it('does not decide whether punctuation belongs to a name', () => {
    expect(linkedPaths('Look at /user_uploads/2/x/plan.png.')).toEqual([
      '2/x/plan.png.',
      '2/x/plan.png',
    ]);
  });

  it('finds a link in any surroundings that end an address', () => {
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
