import { describe, expect, it } from '@jest/globals';
import { parseJsonOrUndefined } from './parse-json.js';

describe(parseJsonOrUndefined.name, () => {
  it.each([
    ['{"a":[1]}', { a: [1] }],
    ['null', null],
    ['', undefined],
    ['{"a"', undefined],
  ])('of %s is %j', (text, value) => {
    expect(parseJsonOrUndefined(text)).toEqual(value);
  });
});
