import { describe, expect, it } from '@jest/globals';
import { searchOf, termsOf } from './term.rules.js';

const refusalOf = (given: readonly unknown[]) => {
  try {
    termsOf(given);
  } catch (error) {
    return error;
  }
  throw new Error('The narrow was not refused');
};

const shape = (reason: string) => `Invalid narrow[0]: Value error, ${reason}`;
const operator = (desc: string) => `Invalid narrow operator: ${desc}`;

describe(termsOf.name, () => {
  it.each<[unknown, string]>([
    [5, shape('dict or list required')],
    [null, shape('dict or list required')],
    [['is'], shape('element is not a string pair')],
    [['id', 5], shape('element is not a string pair')],
    [['is', 'dm', 'x'], shape('element is not a string pair')],
    [{ operand: 'dm' }, shape('operator is missing')],
    [{ operator: 'is' }, shape('operand is missing')],
    [{ operator: 'is', operand: null }, shape('operand is missing')],
    [{ operator: 5, operand: 'x' }, 'narrow[0]["operator"] is not a string'],
    [{ operator: 'is', operand: 'dm', negated: 1 }, 'narrow[0]["negated"] is not a boolean'],
    [{ operator: 'channel', operand: [1] }, 'operand is not a string or integer'],
    [{ operator: 'sender', operand: 1.5 }, 'operand is not a string or integer'],
    [{ operator: 'dm', operand: [1, 'x'] }, 'operand[1] is not an integer'],
    [{ operator: 'dm', operand: 5 }, 'operand is not a string or an integer list'],
    // JavaScript cannot make a text of it.
    [{ operator: 'dm', operand: { toString: 1 } }, 'operand is not a string or an integer list'],
    [{ operator: 'dm', operand: Array.from({ length: 1001 }, () => 1) }, 'operand is too large'],
    [{ operator: 'is', operand: 5 }, 'operand is not a string'],
    [{ operator: 'spam', operand: 5 }, 'operand is not a string'],
    [{ operator: 'search', operand: ' ' }, 'operand cannot be blank.'],
    [['search', 'x'.repeat(1001)], 'operand is too long (limit: 1000 characters)'],
    [['spam', 'x'], operator('unknown operator spam')],
    [['toString', 'x'], operator('unknown operator toString')],
    [['is', 'spam'], operator("unknown 'is' operand spam")],
    [['has', 'spam'], operator("unknown 'has' operand spam")],
    [['in', 'spam'], operator("unknown 'in' operand spam")],
    [['channels', 'spam'], operator('unknown channels operand spam')],
    [['id', 'x'], operator('Invalid message ID')],
    [['with', 'x'], operator("Invalid 'with' operator")],
  ])('refuses %j', (term, msg) => {
    expect(refusalOf([term])).toMatchObject({ message: msg });
  });

  it('gives the reason of a wrong operator beside the code', () => {
    expect(refusalOf([['spam', 'x']])).toMatchObject({
      error: { code: 'BAD_NARROW', status: 400 },
      fields: { desc: 'unknown operator spam' },
    });
  });

  it('limits all searches of a narrow together', () => {
    const half = 'x'.repeat(501);
    expect(termsOf([['search', half]])).toHaveLength(1);
    expect(
      refusalOf([
        ['search', half],
        ['search', half],
      ]),
    ).toMatchObject({
      message: 'operand is too long (limit: 1000 characters)',
    });
  });

  it.each([
    ['stream', 'channel', 'general'],
    ['streams', 'channels', 'public'],
    ['pm-with', 'dm', 'a@x'],
    ['group-pm-with', 'dm-including', 'a@x'],
  ])('takes %s for %s', (alias, name, operand) => {
    expect(termsOf([[alias, operand]])).toEqual(termsOf([[name, operand]]));
  });

  it.each([
    [
      ['is', 'private'],
      ['is', 'dm'],
    ],
    [
      ['has', 'images'],
      ['has', 'image'],
    ],
    [
      ['topic', '(no topic)'],
      ['topic', ''],
    ],
    [
      ['dm', 'a@x, b@x'],
      ['dm', 'a@x,b@x'],
    ],
    [{ operator: 'id', operand: 5 }, ['id', '5']],
    [{ operator: 'with', operand: 5 }, ['with', '5']],
  ])('takes %j for %j', (given, same) => {
    const [term] = termsOf([given]);
    expect(termsOf([same])[0]).toMatchObject({
      ...term,
      ...('given' in (term ?? {}) && { given: same[1] }),
    });
  });

  it('refuses a place that no message can have, unless a term is negated', () => {
    const direct = { operator: 'is', operand: 'dm' };
    for (const place of [
      ['channel', 'x'],
      ['topic', 'x'],
      ['channels', 'public'],
    ]) {
      expect(refusalOf([direct, place])).toMatchObject({
        message: operator('No message can be both a channel message and direct message'),
      });
      expect(termsOf([{ ...direct, negated: true }, place])).toHaveLength(2);
    }
  });
});

describe(searchOf.name, () => {
  it.each([
    ['soup salad', { words: 'soup salad', phrases: [] }],
    ['"hot soup" salad "a b"', { words: 'salad', phrases: ['hot soup', 'a b'] }],
    ['"never closed', { words: '"never closed', phrases: [] }],
    ['"" "  "', { words: '"" "  "', phrases: [] }],
  ])('divides %s', (given, expected) => {
    expect(searchOf(given)).toEqual(expected);
  });
});
