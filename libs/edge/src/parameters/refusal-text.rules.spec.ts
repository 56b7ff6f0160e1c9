import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { faultText, refusalText } from './refusal-text.rules.js';

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
    ['Argument "extra" at v is unexpected', z.strictObject({ a: z.int() }), { a: 1, extra: 2 }],
  ])('says "%s"', (message, schema, value) => {
    expect(textFor(schema, value)).toBe(message);
  });

  it('names the place inside a list', () => {
    expect(textFor(z.array(z.int()), [1, 'x'])).toBe('v[1] is not an integer');
  });

  it('names the place inside dicts', () => {
    expect(textFor(choices, { '0': { text: 'a', order: 'x' } })).toBe(
      'v["0"]["order"] is not an integer',
    );
  });

  it('names a missing and an unexpected member', () => {
    expect(textFor(choices, { '0': { text: 'a' } })).toBe('order field is missing: Field required');
    expect(textFor(choices, { '0': { text: 'a', order: 1, more: 2 } })).toBe(
      'Argument "more" at v["0"] is unexpected',
    );
  });
});
