import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { htmlDifference } from './html-difference.rules.js';

const added = (text: string) => `<span class="highlight_text_inserted">${text}</span>`;
const gone = (text: string) => `<span class="highlight_text_deleted">${text}</span>`;

describe(htmlDifference.name, () => {
  it.each([
    ['<p>Hello</p>', '<p>Hello</p>', '<p>Hello</p>'],
    ['<p>Hello</p>', '<p>Hello world</p>', `<p>Hello${added(' world')}</p>`],
    ['<p>Hello world</p>', '<p>Hello</p>', `<p>Hello${gone(' world')}</p>`],
    ['<p>one two</p>', '<p>one 2</p>', `<p>one${gone(' two')}${added(' 2')}</p>`],
    ['', '<p>new</p>', `<p>${added('new')}</p>`],
    ['<p>old</p>', '', gone('old')],
    [
      '<p>a b c d e</p>',
      '<p>x a c e y</p>',
      `<p>${gone('a b')}${added('x a')} c${gone(' d')} e${added(' y')}</p>`,
    ],
  ])('of %s and %s marks the texts', (before, after, difference) => {
    expect(htmlDifference(before, after)).toBe(difference);
  });

  it('keeps the elements after the edit only', () => {
    expect(htmlDifference('<p>one <em>two</em></p>', '<p>one <strong>two</strong></p>')).toBe(
      '<p>one <strong>two</strong></p>',
    );
  });

  it('marks everything between the common beginning and end of long texts', () => {
    const words = (word: string) => Array.from({ length: 500 }, (_, index) => `${word}${index}`);
    const [before, after] = [words('a').join(' '), words('b').join(' ')];
    expect(htmlDifference(`<p>${before}</p>`, `<p>${after}</p>`)).toBe(
      `<p>${gone(before)}${added(after)}</p>`,
    );
  });

  it('marks a common word in the middle of long texts as well, which bounds the work', () => {
    const half = (word: string) => Array<string>(200).fill(word).join(' ');
    const textOf = (word: string) => `${half(word)} same ${half(word)}`;
    expect(htmlDifference(textOf('a'), textOf('b'))).toBe(
      `${gone(textOf('a'))}${added(textOf('b'))}`,
    );
  });

  it('has both texts, and marks as few words as possible', () => {
    const anyWords = fc.array(fc.constantFrom(' a', ' b', ' c'), { maxLength: 8 });
    fc.assert(
      fc.property(anyWords, anyWords, (before, after) => {
        const difference = htmlDifference(before.join(''), after.join(''));
        const without = (change: string) =>
          difference
            .replaceAll(new RegExp(`<span class="highlight_text_${change}">[^<]*</span>`, 'g'), '')
            .replaceAll(/<[^>]*>/g, '');
        expect(without('deleted')).toBe(after.join(''));
        expect(without('inserted')).toBe(before.join(''));
        const unmarked = difference.replaceAll(/<span.*?<\/span>/g, '');
        expect(unmarked.length / ' a'.length).toBe(commonLength(before, after));
      }),
    );
  });
});

/** The length of the longest common subsequence, by trying all. */
function commonLength(before: readonly string[], after: readonly string[]): number {
  if (before.length === 0 || after.length === 0) return 0;
  const [[first, ...restBefore], [other, ...restAfter]] = [before, after];
  return first === other
    ? 1 + commonLength(restBefore, restAfter)
    : Math.max(commonLength(restBefore, after), commonLength(before, restAfter));
}
