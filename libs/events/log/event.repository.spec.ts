import { describe, expect, it } from '@jest/globals';
import { storableJson } from './event.repository.js';

describe(storableJson.name, () => {
  it.each([
    ['ids and texts', { ids: [1, 2], text: 'a "b" \\ 😀\n' }],
    ['texts that look like escapes', { text: '\\ud800 \\u0000' }],
  ])('leaves %s as they are', (_, value) => {
    expect(storableJson(value)).toBe(JSON.stringify(value));
  });

  it('replaces halves of characters and null characters in texts', () => {
    const value = { texts: ['a\ud800b', '\udc00', '\0', '\\\ud800'] };
    const texts = ['a\ufffdb', '\ufffd', '\ufffd', '\\\ufffd'];
    expect(JSON.parse(storableJson(value))).toEqual({ texts });
  });
});
