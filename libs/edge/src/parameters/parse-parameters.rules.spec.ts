import { describe, expect, it } from '@jest/globals';
import { ApiError } from '#contracts';
import { z } from 'zod';
import { json, type Parameter, text } from './parameter.js';
import { ignoredParameters, parseParameters } from './parse-parameters.rules.js';

const notes = { description: 'a parameter' };

/** Parses one parameter named `v`, given as it would stand on the wire. */
const parse = (parameter: Parameter<unknown>, given?: string): unknown =>
  parseParameters({ v: parameter }, new Map(given === undefined ? [] : [['v', given]]))['v'];

function refusal(parameter: Parameter<unknown>, given?: string): ApiError {
  try {
    parse(parameter, given);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${given} was not refused`);
}

describe(parseParameters.name, () => {
  it.each([
    ['true', z.boolean(), true],
    ['5', z.int(), 5],
    [' 5 ', z.int(), 5],
    ['-0', z.int(), -0],
    ['5.0', z.number(), 5],
    ['[1,2]', z.array(z.int()), [1, 2]],
    ['{"a":"b"}', z.record(z.string(), z.string()), { a: 'b' }],
    ['null', z.int().nullable(), null],
  ])('takes the JSON text %s', (given, schema, value) => {
    expect(parse(json<unknown>(schema, notes), given)).toEqual(value);
  });

  it('takes a text as it stands, without quotes', () => {
    expect(parse(text(z.string(), notes), ' "as it is" ')).toBe(' "as it is" ');
  });

  it.each([
    ['abc', z.int(), 'v is not valid JSON'],
    ['', z.int(), 'v is not valid JSON'],
    ['NaN', z.int(), 'v is not valid JSON'],
    ['"5"', z.int(), 'v is not an integer'],
    ['"5"', z.number().int(), 'v is not an integer'],
    ['"5"', z.int().optional(), 'v is not an integer'],
    ['5.5', z.int(), 'v is not an integer'],
    ['5.0', z.int(), 'v is not an integer'],
    ['5.0', z.int().min(1).default(2), 'v is not an integer'],
    ['1e3', z.int(), 'v is not an integer'],
    ['-1E3', z.int(), 'v is not an integer'],
    ['1e400', z.int(), 'v is not an integer'],
    ['true', z.int(), 'v is not an integer'],
    ['null', z.int(), 'v is not an integer'],
    ['9007199254740993', z.int(), 'v is too large'],
    ['True', z.boolean(), 'v is not valid JSON'],
    ['1', z.boolean(), 'v is not a boolean'],
    ['"true"', z.boolean(), 'v is not a boolean'],
    ['"5"', z.number(), 'v is not a float'],
  ])('is strict about JSON types: %s', (given, schema, message) => {
    expect(refusal(json<unknown>(schema, notes), given).message).toBe(message);
  });

  it('says which parameter is missing', () => {
    const error = refusal(json(z.int(), notes));
    expect(error.error.code).toBe('REQUEST_VARIABLE_MISSING');
    expect(error.message).toBe("Missing 'v' argument");
    expect(error.fields).toEqual({ var_name: 'v' });
  });

  it('gives an absent parameter its default, and none to one that may be absent', () => {
    expect(parse(json(z.int().default(7), notes))).toBe(7);
    expect(parse(json(z.int().optional(), notes))).toBeUndefined();
  });

  it('answers a refused value as BAD_REQUEST', () => {
    expect(refusal(json(z.int(), notes), '"5"').error).toMatchObject({
      code: 'BAD_REQUEST',
      status: 400,
    });
  });

  it("uses a parameter's own refusal", () => {
    const status = text(z.enum(['active', 'idle']), {
      ...notes,
      refusal: (given) => new ApiError('invalidPresenceStatus', { status: given }),
    });
    expect(refusal(status, 'foo').message).toBe('Invalid status: foo');
  });

  it('refuses a NUL, in JSON an escaped one', () => {
    const list = json(z.array(z.string()), notes);
    expect(refusal(text(z.string(), notes), 'a\0b').message).toBe('v has invalid format');
    expect(refusal(list, '["a\\u0000b"]').message).toBe('v has invalid format');
  });

  it('takes a backslash before u0000 for what it is', () => {
    const list = json(z.array(z.string()), notes);
    expect(parse(list, String.raw`["\\u0000"]`)).toEqual([String.raw`\u0000`]);
    expect(parse(text(z.string(), notes), String.raw`\u0000`)).toBe(String.raw`\u0000`);
  });

  it('reports the first wrong parameter in the order of their declaration', () => {
    const declared = { b: json(z.int(), notes), a: json(z.int(), notes) };
    const raw = new Map([
      ['a', 'x'],
      ['b', 'x'],
    ]);
    expect(() => parseParameters(declared, raw)).toThrow('b is not valid JSON');
  });
});

describe(ignoredParameters.name, () => {
  it('lists what was not declared, sorted, but never `client`', () => {
    const raw = new Map(
      ['zeta', 'v', 'client', 'dont_block', 'Alpha', '__proto__', 'toString'].map((name) => [
        name,
        '1',
      ]),
    );
    expect(ignoredParameters({ v: json(z.int(), notes) }, raw)).toEqual([
      'Alpha',
      '__proto__',
      'dont_block',
      'toString',
      'zeta',
    ]);
  });
});
