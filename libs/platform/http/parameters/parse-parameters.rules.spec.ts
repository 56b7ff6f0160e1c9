import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError, parameterErrors } from '#platform/contracts';
import { z } from 'zod';
import { header, json, type Parameter, text } from './parameter.js';
import {
  faultText,
  excessOf,
  ignoredParameters,
  parseParameters,
  refusalText,
  refuseParameters,
} from './parse-parameters.rules.js';

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
  ])('accepts the JSON text %s', (given, schema, value) => {
    expect(parse(json<unknown>(schema, notes), given)).toEqual(value);
  });

  it('uses a text unchanged, without quotes', () => {
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

  it('names the missing parameter', () => {
    const error = refusal(json(z.int(), notes));
    expect(error.error.code).toBe('REQUEST_VARIABLE_MISSING');
    expect(error.message).toBe("Missing 'v' argument");
    expect(error.fields).toEqual({ var_name: 'v' });
  });

  it('uses the default of a missing parameter, and undefined for an optional one', () => {
    expect(parse(json(z.int().default(7), notes))).toBe(7);
    expect(parse(json(z.int().optional(), notes))).toBeUndefined();
  });

  it('rejects an invalid value with BAD_REQUEST', () => {
    expect(refusal(json(z.int(), notes), '"5"').error).toMatchObject({
      code: 'BAD_REQUEST',
      status: 400,
    });
  });

  it('uses the error of the parameter', () => {
    const status = text(z.enum(['active', 'idle']), {
      ...notes,
      refusal: (given) =>
        new ApiError(parameterErrors.invalidParameter, { text: `Invalid status: ${given}` }),
    });
    expect(refusal(status, 'foo').message).toBe('Invalid status: foo');
  });

  it('rejects a NUL, and an escaped NUL in JSON', () => {
    const list = json(z.array(z.string()), notes);
    expect(refusal(text(z.string(), notes), 'a\0b').message).toBe('v has invalid format');
    expect(refusal(list, '["a\\u0000b"]').message).toBe('v has invalid format');
  });

  it('accepts an escaped backslash before u0000', () => {
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

  it('makes the text of the first fault of a list only', () => {
    let checks = 0;
    const refused = z.unknown().refine(() => {
      checks += 1;
      return false;
    }, 'Refused');
    const list = json(z.array(refused).max(10_000), notes);
    expect(refusal(list, JSON.stringify(Array(1000).fill(1))).message).toBe(
      'Invalid v[0]: Value error, Refused',
    );
    expect(checks).toBe(1000 + 1);
  });
});

describe(refuseParameters.name, () => {
  it('names the first refused parameter of a request, and passes others', () => {
    const raw = new Map([
      ['other', '1'],
      ['new_password', 'x'],
    ]);
    expect(() => {
      refuseParameters(['email', 'new_password'], raw);
    }).toThrow("This server does not support the parameter 'new_password'.");
    expect(() => {
      refuseParameters(['email'], raw);
    }).not.toThrow();
  });
});

describe(ignoredParameters.name, () => {
  it('lists a field with the name of a header', () => {
    const declared = { v: header(z.string(), notes) };
    expect(ignoredParameters(declared, new Map([['v', '1']]))).toEqual(['v']);
  });

  it('lists undeclared names in order, without `client`', () => {
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

function textFor(schema: z.ZodType, value: unknown): string {
  const parsed = schema.safeParse(value, { error: faultText('v') });
  if (parsed.success) throw new Error('The value was not refused');
  return refusalText('v', parsed.error);
}

const choices = z.record(z.string(), z.strictObject({ text: z.string(), order: z.int() }));

describe(refusalText.name, () => {
  it.each<[string, z.ZodType, unknown]>([
    ['v is not an integer', z.int(), 'x'],
    ['v is not a boolean', z.boolean(), 1],
    ['v is not a string', z.string(), 1],
    ['v is not a list', z.array(z.int()), {}],
    ['v is not a list', z.tuple([z.int()]), 'x'],
    ['v is not a dict', z.object({}), []],
    ['v is not a dict', z.record(z.string(), z.string()), 'x'],
    ['v is not a float', z.number(), 'x'],
    ['v is not a date', z.iso.date(), 'yesterday'],
    ['v is not a URL', z.url(), 'here'],
    ['v is too long (limit: 3 characters)', z.string().max(3), 'four'],
    ['v is too short (limit: 2 characters)', z.string().min(2), 'x'],
    ['v cannot be blank', z.string().min(1), ''],
    ['v has invalid format', z.string().regex(/^a$/), 'b'],
    ['v has invalid format', z.email(), 'b'],
    ['v is too small', z.int().min(1), 0],
    ['v is too small', z.array(z.int()).min(1), []],
    ['v is too large', z.int().max(1), 2],
    ['v is too large', z.array(z.int()).max(1), [1, 2]],
    ['Invalid v', z.enum(['a', 'b']), 'c'],
    ['Invalid v', z.literal([1, 2]), 3],
    ['Invalid v', z.union([z.int(), z.object({})]), 'x'],
    ['Invalid v', z.string().refine(() => false), 'x'],
    [
      'Invalid v: Value error, Not in the list of possible values',
      z.string().refine(() => false, 'Not in the list of possible values'),
      'spam',
    ],
    [
      'Argument "extra" at v["extra"] is unexpected',
      z.strictObject({ a: z.int() }),
      { a: 1, extra: 2 },
    ],
  ])('creates the text "%s"', (message, schema, value) => {
    expect(textFor(schema, value)).toBe(message);
  });

  it('shows the position in a list', () => {
    expect(textFor(z.array(z.int()), [1, 'x'])).toBe('v[1] is not an integer');
  });

  it('shows the position in nested dicts', () => {
    expect(textFor(choices, { '0': { text: 'a', order: 'x' } })).toBe(
      'v["0"]["order"] is not an integer',
    );
  });

  it('reports a missing and an unexpected member', () => {
    expect(textFor(choices, { '0': { text: 'a' } })).toBe('order field is missing: Field required');
    expect(textFor(choices, { '0': { text: 'a', order: 1, more: 2 } })).toBe(
      'Argument "more" at v["0"]["more"] is unexpected',
    );
  });
});

const objectOf = (members: number) =>
  Object.fromEntries(Array.from({ length: members }, (_, index) => [`k${index}`, index]));

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, one) => sum + countMembers(one), 0);
  return inner + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

describe(excessOf.name, () => {
  it('counts the members of an object', () => {
    expect(excessOf(JSON.stringify(objectOf(100)), 100)).toBeNull();
    expect(excessOf(JSON.stringify(objectOf(101)), 100)).toBe('members');
  });

  it('counts the members of nested objects', () => {
    const inside = { list: [objectOf(50), { deep: objectOf(49) }] };
    expect(excessOf(JSON.stringify(inside), 101)).toBeNull();
    expect(excessOf(JSON.stringify(inside), 100)).toBe('members');
  });

  it('does not count colons in strings', () => {
    const given = JSON.stringify({ text: '"a":1, \\":'.repeat(100) });
    expect(excessOf(given, 1)).toBeNull();
    expect(excessOf(given, 0)).toBe('members');
  });

  it.each(['[', '{"a":', '[{"a":'])('stops at the depth of a thousand: %s', (opening) => {
    const levels = 1000 / opening.replaceAll(/[^[{]/g, '').length;
    expect(excessOf(opening.repeat(levels), 1000)).toBeNull();
    expect(excessOf(opening.repeat(levels) + '['.repeat(5000), 1000)).toBe('nesting');
  });

  it('counts no closed levels, and no brackets in strings', () => {
    const wide = JSON.stringify(Array.from({ length: 5000 }, () => [[{}]]));
    expect(excessOf(wide, 1000)).toBeNull();
    expect(excessOf(JSON.stringify(['['.repeat(10_000)]), 1000)).toBeNull();
  });

  it('agrees with a parser about any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(5), (value, limit) => {
        const given = JSON.stringify(value);
        const expected = given.length > 4 * limit && countMembers(JSON.parse(given)) > limit;
        return excessOf(given, limit) === (expected ? 'members' : null);
      }),
    );
  });
});
