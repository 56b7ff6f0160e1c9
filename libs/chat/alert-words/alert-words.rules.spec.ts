import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstRunOf, fold, hasWord, runsOf } from './alert-words.rules.js';

describe(hasWord.name, () => {
  it.each([
    ['Is lunch ready?', 'lunch', true],
    ['LUNCH!', 'Lunch', true],
    ['lunchtime', 'lunch', false],
    ['brunch lunchtime, lunch', 'lunch', true],
    ['my_lunch', 'lunch', false],
    ['(lunch)', 'lunch', true],
    ['the big lunch break', 'big lunch', true],
    ['the big lunches', 'big lunch', false],
    ['use c++, please', 'c++', true],
    ['use c++11', 'c++', true],
    ['Straße', 'STRASSE', false],
    ['ein Gruß', 'gruß', true],
    ['Grüße', 'gru\u0308ße', true],
    ['𝔸lunch', 'lunch', false],
    ['🍕lunch🍕', 'lunch', true],
    ['a 🍕 b', '🍕', true],
    ['', 'lunch', false],
  ])('finds in %j the word %j: %s', (text, word, isFound) => {
    expect(hasWord(fold(text), fold(word))).toBe(isFound);
  });

  it('finds only words whose first run is a run of the text', () => {
    const characters = fc.constantFrom('a', 'B', 'ß', ' ', '+', '_', '1', '🍕', '\u0308');
    const text = fc.string({ unit: characters, maxLength: 12 });
    fc.assert(
      fc.property(
        text,
        fc.string({ unit: characters, minLength: 1, maxLength: 4 }),
        (one, other) => {
          const [folded, word] = [fold(one), fold(other)];
          if (!hasWord(folded, word)) return;
          expect(runsOf(folded)).toContain(firstRunOf(word));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
