import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { limitedText } from './limited-text.js';
import { text } from './parameter.js';
import { parseParameters } from './parse-parameters.rules.js';

const parse = (schema: z.ZodType<string>, given: string): unknown =>
  parseParameters({ v: text(schema, { description: 'Of a test.' }) }, new Map([['v', given]]))['v'];

describe(limitedText.name, () => {
  it.each(['', 'abc', '🙂🙂🙂', '👩‍'])('takes "%s" as at most three characters', (given) => {
    expect(parse(limitedText(3), given)).toBe(given);
  });

  it.each(['abcd', '🙂🙂🙂🙂', 'x'.repeat(1000)])('refuses "%s" as longer', (given) => {
    expect(() => parse(limitedText(3), given)).toThrow('v is too long (limit: 3 characters)');
  });

  it('can be trimmed first, and must not be blank where it is told so', () => {
    const schema = z.string().trim().pipe(limitedText(3).min(1));
    expect(parse(schema, '  abc  ')).toBe('abc');
    expect(() => parse(schema, '   ')).toThrow('v cannot be blank');
    expect(() => parse(schema, ' abcd ')).toThrow('v is too long (limit: 3 characters)');
  });

  it('tells the documentation its limit', () => {
    expect(z.toJSONSchema(limitedText(3))).toMatchObject({ type: 'string', maxLength: 3 });
  });
});
