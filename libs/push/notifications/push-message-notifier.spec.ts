import { describe, expect, it } from '@jest/globals';
import { removalsOf } from './push-message-notifier.js';

describe(removalsOf.name, () => {
  it('makes one removal for each account', () => {
    expect(
      removalsOf([
        { userId: 7, messageId: 12 },
        { userId: 8, messageId: 9 },
        { userId: 7, messageId: 9 },
      ]),
    ).toEqual([
      { userId: 7, content: { kind: 'remove', messageIds: [9, 12] } },
      { userId: 8, content: { kind: 'remove', messageIds: [9] } },
    ]);
  });

  it('keeps the newest 200', () => {
    const messages = Array.from({ length: 250 }, (_, index) => ({
      userId: 7,
      messageId: index + 1,
    }));
    const [removal] = removalsOf(messages.toReversed());
    expect(removal?.content.messageIds).toEqual(
      Array.from({ length: 200 }, (_, index) => index + 51),
    );
  });
});
