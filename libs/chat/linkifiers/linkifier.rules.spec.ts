import { describe, expect, it } from '@jest/globals';
import { compileLinkifier, linksIn, MAX_WORK } from './linkifier.rules.js';

const issue = { pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://issues.test/{id}' };
const ticket = {
  pattern: '(?P<project>[A-Z]{2,9})-(?P<id>\\d+)',
  urlTemplate: 'https://issues.test/{project}/{?id}',
};
const compiled = [issue, ticket].map(compileLinkifier);
const found = (text: string, linkifiers = compiled) =>
  linksIn(text, linkifiers).map(({ start, end, address }) => [text.slice(start, end), address]);

describe(compileLinkifier.name, () => {
  it.each([
    ['(', 'Bad regular expression: '],
    ['(?=a)', 'Bad regular expression: '],
    ['(a)\\1', 'Bad regular expression: '],
    ['a)|(b', 'Bad regular expression: '],
    ['a*', 'Bad regular expression: it matches the empty text'],
    ['(?:a{500}){500}', 'Bad regular expression: '],
    ['[a-z]{900}', 'Bad regular expression: it is too large'],
    ['#[0-9]+', "Group 'id' in URL template is not present in linkifier pattern."],
    ['(?P<id>a)(?P<other>b)', "Group 'other' in linkifier pattern is not present in URL template."],
  ])('refuses the pattern %s', (pattern, msg) => {
    expect(() => compileLinkifier({ ...issue, pattern })).toThrow(msg);
  });

  it.each(['', 'issues/{id}', 'javascript:alert({id})', 'https://{id}', 'https://a.test/{id'])(
    'refuses the URL template %j',
    (urlTemplate) => {
      expect(() => compileLinkifier({ ...issue, urlTemplate })).toThrow('Invalid URL template.');
    },
  );
});

describe(linksIn.name, () => {
  it('finds matches that begin a word and end before other characters than letters and digits', () => {
    expect(found('#1 #2, (#3) a#4 #5a "#6" #7\n#8')).toEqual(
      [1, 2, 3, 6, 7, 8].map((id) => [`#${id}`, `https://issues.test/${id}`]),
    );
  });

  it('fills in all groups, with the encoding of the template', () => {
    expect(found('See AB-12.')).toEqual([['AB-12', 'https://issues.test/AB/?id=12']]);
    const text = { pattern: 'go (?P<to>.+)!', urlTemplate: 'https://a.test/{to}' };
    expect(found('go a/b ä!', [compileLinkifier(text)])).toEqual([
      ['go a/b ä!', 'https://a.test/a%2Fb%20%C3%A4'],
    ]);
  });

  it('lets the first linkifier decide', () => {
    const longer = { pattern: 'x #(?P<id>[0-9]+)', urlTemplate: 'https://other.test/{id}' };
    const both = [issue, longer].map(compileLinkifier);
    expect(found('x #1', both)).toEqual([['#1', 'https://issues.test/1']]);
    expect(found('x #1', both.toReversed())).toEqual([['x #1', 'https://other.test/1']]);
  });

  it('finds a limited number of matches, and searches a long text for a limited number of linkifiers', () => {
    expect(found('#1 '.repeat(200))).toHaveLength(100);
    const many = Array.from({ length: 200 }, () => compiled[0] ?? compileLinkifier(issue));
    const last = compileLinkifier({ pattern: 'a(?P<id>!)', urlTemplate: issue.urlTemplate });
    expect(found('a!', [...many, last])).toHaveLength(1);
    expect(found(`a! ${'b'.repeat(9000)}`, [...many, last])).toEqual([]);
  });

  it('finds fewer matches if each of them reads the rest of a long text', () => {
    const slow = compileLinkifier({ pattern: '(?P<id>a(?:.*!)?)', urlTemplate: issue.urlTemplate });
    const links = linksIn('a '.repeat(5000), [slow]);
    const read = links.map(({ start }) => slow.expression.programSize() * (10_000 - start));
    expect(links.length).toBeGreaterThan(10);
    expect(read.reduce((one, other) => one + other)).toBeLessThanOrEqual(MAX_WORK);
  });
});
