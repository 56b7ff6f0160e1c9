import { describe, expect, it } from '@jest/globals';
import { highlighted, MATCH_ENDS, MATCH_STARTS } from './highlight.rules.js';

const marked = (text: string) => text.replaceAll('[', MATCH_STARTS).replaceAll(']', MATCH_ENDS);

describe(highlighted.name, () => {
  it.each([
    ['<p>no match</p>', '<p>no match</p>'],
    [
      '<p>[soup] and [soup]</p>',
      '<p><span class="highlight">soup</span> and <span class="highlight">soup</span></p>',
    ],
    ['<a href="/[soup]">x</a>', '<a href="/soup">x</a>'],
    [
      `<a title="a &gt; [b]" x='"[c]'>[x]</a>`,
      `<a title="a &gt; b" x='"c'><span class="highlight">x</span></a>`,
    ],
    ['[a<b>b</b>c]', '<span class="highlight">a</span><b>b</b>c'],
    ['[never closed', '<span class="highlight">never closed</span>'],
    ['never opened]', 'never opened'],
    ['[a[b]', '<span class="highlight">a</span><span class="highlight">b</span>'],
    ['<b [', '<b '],
    [
      '[a] <b [c] d> [e]',
      `<span class="highlight">a</span> <b c d> <span class="highlight">e</span>`,
    ],
    ['a] [b]] c', 'a <span class="highlight">b</span> c'],
  ])('turns %s into elements', (given, expected) => {
    expect(highlighted(marked(given))).toBe(expected);
  });

  it('turns the first 200 matches into elements', () => {
    const html = highlighted(marked('[a] '.repeat(5000)));
    expect(html.match(/<span/g)).toHaveLength(200);
    expect(html.replaceAll(/<[^>]+>/g, '')).toBe('a '.repeat(5000));
  });
});
