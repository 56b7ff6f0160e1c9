import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { identifier, messageIdentifier } from './parameter.js';
import { parseParameters } from './parse-parameters.rules.js';

const sut = identifier('The thing.');
const parse = (given: string) => parseParameters({ v: sut }, new Map([['v', given]]))['v'];

describe(identifier.name, () => {
  it.each([
    ['5', 5],
    ['2147483647', 2_147_483_647],
  ])('takes %s', (given, id) => {
    expect(parse(given)).toBe(id);
  });

  it.each(['0', '-1', '2147483648', '99999999999999999999'])(
    'takes %s for the number of no row',
    (given) => {
      expect(parse(given)).toBe(0);
    },
  );

  it.each([
    ['"5"', 'v is not an integer'],
    ['5.5', 'v is not an integer'],
    ['null', 'v is not an integer'],
    ['[5]', 'v is not an integer'],
    ['five', 'v is not valid JSON'],
  ])('refuses %s', (given, msg) => {
    expect(() => parse(given)).toThrow(msg);
  });

  it('must be given', () => {
    expect(() => parseParameters({ v: sut }, new Map())).toThrow("Missing 'v' argument");
  });

  it('is an integer to the documentation', () => {
    const schema = z.toJSONSchema(sut.schema, { io: 'input', unrepresentable: 'any' });
    expect(schema).toMatchObject({ type: 'integer' });
  });
});

describe(messageIdentifier.name, () => {
  const parseMessage = (given: string) =>
    parseParameters({ v: messageIdentifier('The message.') }, new Map([['v', given]]))['v'];

  it.each([
    ['2147483648', 2_147_483_648],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', 0],
    ['99999999999999999999', 0],
    ['0', 0],
    ['-1', 0],
  ])('takes %s for %d', (given, id) => {
    expect(parseMessage(given)).toBe(id);
  });
});
