import { describe, expect, it } from '@jest/globals';
import { toEmojiResponse } from './emoji.response.js';

describe(toEmojiResponse.name, () => {
  it('has each emoji under its id', () => {
    const emoji = { name: 'parrot', authorId: null, fileKey: 'emoji/3/a1b2.png' };
    expect(
      toEmojiResponse(3, [
        { ...emoji, id: 7, isDeactivated: true },
        { ...emoji, id: 12, authorId: 5, isDeactivated: false },
      ]),
    ).toEqual({
      '7': {
        id: '7',
        name: 'parrot',
        source_url: '/user_avatars/3/emoji/images/a1b2.png',
        still_url: null,
        deactivated: true,
        author_id: null,
      },
      '12': {
        id: '12',
        name: 'parrot',
        source_url: '/user_avatars/3/emoji/images/a1b2.png',
        still_url: null,
        deactivated: false,
        author_id: 5,
      },
    });
  });

  it('is empty where there are none', () => {
    expect(toEmojiResponse(3, [])).toEqual({});
  });
});
