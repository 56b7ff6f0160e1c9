import { describe, expect, it } from '@jest/globals';
import { statusRequestOf } from './user-status.request.js';

describe(statusRequestOf.name, () => {
  it('renames the parameters', () => {
    expect(
      statusRequestOf({ status_text: 'a', emoji_name: 'b', emoji_code: 'c', reaction_type: 'd' }),
    ).toEqual({ text: 'a', emojiName: 'b', emojiCode: 'c', emojiType: 'd' });
  });
});
