import { describe, expect, it } from '@jest/globals';
import { mayReadChannelMessage } from './message-access.js';

describe(mayReadChannelMessage.name, () => {
  it.each([
    [{ hasContentAccess: false, isPrivate: false, isHistoryPublic: null, isReceived: true }, false],
    [{ hasContentAccess: false, isPrivate: true, isHistoryPublic: true, isReceived: true }, false],
    [{ hasContentAccess: true, isPrivate: false, isHistoryPublic: null, isReceived: false }, true],
    [{ hasContentAccess: true, isPrivate: false, isHistoryPublic: null, isReceived: true }, true],
    [
      { hasContentAccess: true, isPrivate: false, isHistoryPublic: false, isReceived: false },
      false,
    ],
    [{ hasContentAccess: true, isPrivate: true, isHistoryPublic: null, isReceived: false }, false],
    [{ hasContentAccess: true, isPrivate: true, isHistoryPublic: null, isReceived: true }, true],
    [{ hasContentAccess: true, isPrivate: true, isHistoryPublic: false, isReceived: false }, false],
    [{ hasContentAccess: true, isPrivate: true, isHistoryPublic: false, isReceived: true }, true],
    [{ hasContentAccess: true, isPrivate: true, isHistoryPublic: true, isReceived: false }, true],
  ])('decides for %j: %s', (reach, expected) => {
    expect(mayReadChannelMessage(reach)).toBe(expected);
  });
});
