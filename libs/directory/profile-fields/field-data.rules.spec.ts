import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError, parameterErrors } from '#platform/contracts';
import { choicesOf, externalAccountOf, shapeOf } from './field-data.rules.js';

const choices = (...texts: string[]): Record<string, unknown> =>
  Object.fromEntries(texts.map((text, index) => [`${index}`, { text, order: `${index + 1}` }]));

describe(shapeOf.name, () => {
  it('accepts texts and dictionaries of texts', () => {
    expect(shapeOf({ subtype: 'github', '0': { text: 'Vim' } })).toEqual(
      new Map<string, unknown>([
        ['subtype', 'github'],
        ['0', new Map([['text', 'Vim']])],
      ]),
    );
  });

  it.each([
    [{ python: ['a'] }, 'field_data["python"]["dict[str,str]"] is not a dict'],
    [{ python: 1 }, 'field_data["python"]["dict[str,str]"] is not a dict'],
    [{ python: null }, 'field_data["python"]["dict[str,str]"] is not a dict'],
    [
      { '0': { text: 'Vim', order: 1 } },
      'field_data["0"]["dict[str,str]"]["order"] is not a string',
    ],
    [{ '0': { text: {} } }, 'field_data["0"]["dict[str,str]"]["text"] is not a string'],
    [{ a: '\uD83D' }, 'field_data has invalid format'],
    [{ '\uD83D': 'a' }, 'field_data has invalid format'],
    [{ a: { text: 'x\uDE00' } }, 'field_data has invalid format'],
  ])('refuses %j', (given, message) => {
    expect(() => shapeOf(given)).toThrow(
      new ApiError(parameterErrors.invalidParameter, { text: message }),
    );
  });
});

/** The number of accepted choices; null for an expected rejection. */
function outcomeOf(given: Readonly<Record<string, unknown>>): number | null {
  try {
    return Object.keys(choicesOf(shapeOf(given))).length;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

describe(choicesOf.name, () => {
  it('accepts choices', () => {
    const given = choices('Vim', 'Emacs', '🙂'.repeat(100));
    expect(choicesOf(shapeOf(given))).toEqual(given);
  });

  it.each([
    [{}, 'Field must have at least one choice.'],
    [{ ' ': { text: 'a', order: '1' } }, "'value' cannot be blank."],
    [{ '': { text: 'a', order: '1' } }, "'value' cannot be blank."],
    [{ a: 'text' }, 'field_data["a"]["dict[str,str]"] is not a dict'],
    [{ a: { text: 'a' } }, 'order key is missing from field_data'],
    [{ a: { order: '1' } }, 'text key is missing from field_data'],
    [{ a: { text: 'a', order: '' } }, 'field_data["order"] cannot be blank.'],
    [{ a: { text: ' ', order: '1' } }, 'field_data["text"] cannot be blank.'],
    [
      { a: { text: 'a', order: '1', more: '2' } },
      'Argument "more" at field_data["more"] is unexpected',
    ],
    [choices('a', 'b', 'a'), 'Field must not have duplicate choices.'],
    [choices('🙂'.repeat(101)), 'field_data["text"] is too long (limit: 100 characters)'],
    [
      { a: { text: 'a', order: '1'.repeat(11) } },
      'field_data["order"] is too long (limit: 10 characters)',
    ],
    [
      { ['k'.repeat(101)]: { text: 'a', order: '1' } },
      "'value' is too long (limit: 100 characters)",
    ],
    [choices(...Array.from({ length: 501 }, String)), 'field_data is too large'],
  ])('refuses %j', (given, message) => {
    expect(() => choicesOf(shapeOf(given))).toThrow(message);
  });

  it('accepts or rejects any JSON value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (given) => {
        const taken = outcomeOf(given);
        expect([null, Object.keys(given).length]).toContain(taken);
      }),
    );
  });
});

describe(externalAccountOf.name, () => {
  const custom = (url_pattern: string) => ({ subtype: 'custom', url_pattern });

  it.each(['twitter', 'github'])('ignores a URL pattern for the known site %s', (subtype) => {
    expect(externalAccountOf(shapeOf({ subtype }))).toEqual({ subtype });
    expect(
      externalAccountOf(shapeOf({ subtype, url_pattern: 'https://a.example/%(username)s' })),
    ).toEqual({ subtype });
  });

  it('accepts a URL pattern for any other site', () => {
    const given = custom('https://a.example/%(username)s?x=1');
    expect(externalAccountOf(shapeOf(given))).toEqual(given);
  });

  const withoutUsername = "URL pattern must contain '%(username)s'.";
  const noUrl = 'field_data["url_pattern"] is not a URL';

  it.each([
    [{}, 'subtype key is missing from field_data'],
    [{ subtype: '' }, 'field_data["subtype"] cannot be blank.'],
    [{ subtype: {} }, 'field_data["subtype"] is not a string'],
    [{ subtype: 'myspace' }, 'Invalid external account type'],
    [{ subtype: 'custom' }, 'Custom external account must define URL pattern'],
    [{ subtype: 'custom', url_pattern: {} }, 'field_data["url_pattern"] is not a string'],
    [{ subtype: 'github', more: 'x' }, 'Argument "more" at field_data["more"] is unexpected'],
    [custom('https://a.example/'), withoutUsername],
    [custom('https://a.example/%(username)s/%(username)s'), withoutUsername],
    [custom(''), withoutUsername],
    [custom('%(username)s'), noUrl],
    [custom('javascript:alert("%(username)s")'), noUrl],
    [custom('ftp://a.example/%(username)s'), noUrl],
    [custom('https://a b.example/%(username)s'), noUrl],
    [
      custom(`https://a.example/%(username)s${'a'.repeat(2000)}`),
      'field_data["url_pattern"] is too long (limit: 2000 characters)',
    ],
  ])('refuses %j', (given, message) => {
    expect(() => externalAccountOf(shapeOf(given))).toThrow(message);
  });
});
