import type { Field } from '../performance/endpoint-operations.fixture.js';
import type { SeededRandom } from '#test/seeded-random';

const NUMBERS = [
  '0',
  '-1',
  '1',
  '2147483647',
  '2147483648',
  '9007199254740993',
  '1e309',
  '-1e309',
  '1.5',
  '1e3',
  '0x10',
  'NaN',
  '-0',
  '01',
];
const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u202e',
  '\r\nX-Injected: yes',
  "'; DROP TABLE users; --",
  '%',
  '${jndi:x}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  '🦊'.repeat(300),
  'e\u0301'.repeat(1000),
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'true',
  '@**all**',
  '> '.repeat(50),
];
const JSON_TEXTS = [
  '{',
  '[',
  '{"a":}',
  '[1,2',
  '"',
  '"\\ud800"',
  '"\\u0000"',
  'nul',
  '{"__proto__":{"isAdmin":true}}',
  '[[[[[[[[[[]]]]]]]]]]',
  '[null]',
  '[{}]',
  '[[]]',
  '[-1]',
  '[1.5]',
  '["1"]',
  '{"a":1,"a":2}',
  'true',
  'false',
  'null',
  '[]',
  '{}',
  '""',
  '1',
];

/** A value for a parameter; sometimes a plausible one, so that the other parameters are checked too. */
export function hostileValue(random: SeededRandom, field: Field): string {
  const kind = random.next();
  if (kind < 0.3) return plausibleValue(random, field);
  if (kind < 0.5) return random.pick(NUMBERS);
  if (kind < 0.7) return random.pick(TEXTS);
  if (kind < 0.9) return random.pick(JSON_TEXTS);
  return longValue(random);
}

export function plausibleValue(random: SeededRandom, { name, isJson, schema }: Field): string {
  if (schema.enum !== undefined) return String(random.pick(schema.enum));
  if (name.endsWith('_id') || schema.type === 'integer')
    return String(Math.floor(random.between(1, 60)));
  if (!isJson) return random.pick(['x', 'active', 'en', 'a@chat.test', 'https://a.test/{code}']);
  if (schema.type === 'array') return random.pick(['[]', '[1]', '[1,2,3]', '["a"]']);
  if (schema.type === 'object') return random.pick(['{}', '{"a":"b"}']);
  return random.pick(['true', 'false', '1']);
}

/** A long repetition, up to about a megabyte, usually much shorter. */
function longValue(random: SeededRandom): string {
  const unit = random.pick(['x', ' ', '\n', '*', '[', '`', '"', '\\', 'é', '%', '1,']);
  return unit.repeat(Math.ceil(10 ** random.between(2, 5.8) / unit.length));
}

/** Names of fields that no endpoint declares. */
export const FOREIGN_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'method',
  'client',
  '',
  'a[]',
  'a[0][b]',
  'é\0',
];

const LONE_SURROGATE = /[\ud800-\udfff]/gu;

/** Percent-encodes a text; a lone surrogate becomes three bytes that UTF-8 forbids. */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text.replaceAll(LONE_SURROGATE, '\ufffd')).replaceAll(
    '%EF%BF%BD',
    '%ED%A0%80',
  );
