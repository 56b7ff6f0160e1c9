import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { identifier, limitedText, messageId, text } from './parameter.js';
import { parseParameters } from './parse-parameters.rules.js';

const sut = identifier('The thing.');
const parseIdentifier = (given: string) =>
  parseParameters({ v: sut }, new Map([['v', given]]))['v'];

describe(identifier.name, () => {
  it.each([
    ['5', 5],
    ['2147483647', 2_147_483_647],
  ])('takes %s', (given, id) => {
    expect(parseIdentifier(given)).toBe(id);
  });

  it.each(['0', '-1', '2147483648', '99999999999999999999'])(
    'treats %s as the id of no row',
    (given) => {
      expect(parseIdentifier(given)).toBe(0);
    },
  );

  it.each([
    ['"5"', 'v is not an integer'],
    ['5.5', 'v is not an integer'],
    ['null', 'v is not an integer'],
    ['[5]', 'v is not an integer'],
    ['five', 'v is not valid JSON'],
  ])('refuses %s', (given, msg) => {
    expect(() => parseIdentifier(given)).toThrow(msg);
  });

  it('is required', () => {
    expect(() => parseParameters({ v: sut }, new Map())).toThrow("Missing 'v' argument");
  });

  it('is an integer in the documentation', () => {
    const schema = z.toJSONSchema(sut.schema, { io: 'input', unrepresentable: 'any' });
    expect(schema).toMatchObject({ type: 'integer' });
  });
});

describe('messageId', () => {
  const parseMessage = (given: string) =>
    parseParameters({ v: messageId }, new Map([['v', given]]))['v'];

  it.each([
    ['2147483648', 2_147_483_648],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', 0],
    ['99999999999999999999', 0],
    ['0', 0],
    ['-1', 0],
  ])('converts %s to %d', (given, id) => {
    expect(parseMessage(given)).toBe(id);
  });
});

const parseText = (schema: z.ZodType<string>, given: string): unknown =>
  parseParameters({ v: text(schema, { description: 'Of a test.' }) }, new Map([['v', given]]))['v'];

describe(limitedText.name, () => {
  it.each(['', 'abc', '🙂🙂🙂', '👩‍'])('accepts "%s" as at most three characters', (given) => {
    expect(parseText(limitedText(3), given)).toBe(given);
  });

  it.each(['abcd', '🙂🙂🙂🙂', 'x'.repeat(1000)])(
    'rejects "%s" as longer than three characters',
    (given) => {
      expect(() => parseText(limitedText(3), given)).toThrow('v is too long (limit: 3 characters)');
    },
  );

  it('can be combined with trim and a minimum length', () => {
    const schema = z.string().trim().pipe(limitedText(3).min(1));
    expect(parseText(schema, '  abc  ')).toBe('abc');
    expect(() => parseText(schema, '   ')).toThrow('v cannot be blank');
    expect(() => parseText(schema, ' abcd ')).toThrow('v is too long (limit: 3 characters)');
  });

  it('documents its limit', () => {
    expect(z.toJSONSchema(limitedText(3))).toMatchObject({ type: 'string', maxLength: 3 });
  });
});
