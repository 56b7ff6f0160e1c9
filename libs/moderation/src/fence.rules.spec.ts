import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fenced } from './fence.rules.js';

/** A line that ends a fence of this length, as Markdown has it. */
const ends = (line: string, length: number): boolean => {
  const [, run = ''] = /^ {0,3}(`+)[ \t]*$/.exec(line) ?? [];
  return run.length >= length;
};

describe(fenced.name, () => {
  it.each([
    ['plain', '```quote\nplain\n```'],
    ['`code`', '```quote\n`code`\n```'],
    ['```\ncode\n```', '````quote\n```\ncode\n```\n````'],
    ['a `````` b ```', '```````quote\na `````` b ```\n```````'],
    ['', '```quote\n\n```'],
  ])('puts %j into %j', (text, expected) => {
    expect(fenced('quote', text)).toBe(expected);
  });

  it('holds whatever it is given until its last line', () => {
    const nasty = fc.string({ unit: fc.constantFrom('`', '``', '~', '\n', ' ', '\t', '\r', 'a') });
    fc.assert(
      fc.property(nasty, (text) => {
        const lines = fenced('spoiler', text).split(/\r\n|\n|\r/);
        const length = /^`+/.exec(lines[0] ?? '')?.[0].length ?? 0;
        const ending = lines.slice(1).findIndex((line) => ends(line, length));
        expect(ending).toBe(lines.length - 2);
      }),
    );
  });
});
