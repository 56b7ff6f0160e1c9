import { describe, expect, it } from '@jest/globals';
import { spellingsOf } from './spellings.rules.js';

describe(spellingsOf.name, () => {
  it.each(['lunch', 'LUNCH at 5', 'Élan', 'Привет', '昼食', ''])('leaves %j as it is', (text) => {
    expect(spellingsOf(text)).toEqual([text]);
  });

  it.each([
    ['σας', ['σας', 'ΣΑΣ']],
    ['ΣΑΣ', ['σας', 'ΣΑΣ']],
    ['Σας λέω', ['Σας λέω', 'ΣΑΣ ΛΈΩ']],
    ['Straße', ['STRASSE', 'Straße']],
    ['Kadıköy', ['KADIKÖY', 'Kadıköy']],
    ['ﬁn', ['FIN', 'ﬁn']],
  ])('looks for %j in all spellings', (text, spellings) => {
    expect(spellingsOf(text)).toEqual(spellings);
  });
});
