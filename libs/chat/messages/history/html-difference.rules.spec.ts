import { describe, expect, it } from '@jest/globals';
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
});
