import { describe, expect, it } from '@jest/globals';
import { answerOfStatus } from './user-status.answer.js';

describe(answerOfStatus.name, () => {
  const nothing = { text: null, emoji: null, isAway: false };

  it('leaves out what is not set', () => {
    expect(answerOfStatus(nothing)).toEqual({});
    expect(answerOfStatus({ ...nothing, text: 'at lunch' })).toEqual({ status_text: 'at lunch' });
    expect(answerOfStatus({ ...nothing, isAway: true })).toEqual({ away: true });
  });

  it('gives the three parts of an emoji', () => {
    const emoji = { name: 'car', code: '1f697', type: 'unicode_emoji' } as const;
    expect(answerOfStatus({ ...nothing, emoji })).toEqual({
      emoji_name: 'car',
      emoji_code: '1f697',
      reaction_type: 'unicode_emoji',
    });
  });
});
