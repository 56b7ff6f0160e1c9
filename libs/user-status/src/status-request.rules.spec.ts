import { describe, expect, it } from '@jest/globals';
import { refuseEmptyRequest, requestedEmoji } from './status-request.rules.js';

describe(refuseEmptyRequest.name, () => {
  it.each([{}, { text: undefined, emojiName: undefined }])('refuses %j', (request) => {
    expect(() => refuseEmptyRequest(request, false)).toThrow('Client did not pass any new values.');
  });

  it.each([{ text: '' }, { emojiName: '' }, { emojiCode: '2764' }, { emojiType: '' }])(
    'takes %j',
    (request) => {
      expect(() => refuseEmptyRequest(request, false)).not.toThrow();
    },
  );

  it('takes nothing where something else is set', () => {
    expect(() => refuseEmptyRequest({}, true)).not.toThrow();
  });
});

describe(requestedEmoji.name, () => {
  it('is none when nothing is said of it', () => {
    expect(requestedEmoji({ text: 'away' })).toBeUndefined();
  });

  it.each([
    { emojiName: '' },
    { emojiName: '', emojiCode: '', emojiType: '' },
    { emojiName: '', emojiCode: '2764', emojiType: 'nonsense' },
  ])('is taken away by %j', (request) => {
    expect(requestedEmoji(request)).toBeNull();
  });

  it('is what was sent', () => {
    expect(requestedEmoji({ emojiName: 'car', emojiCode: '1f697' })).toEqual({
      name: 'car',
      code: '1f697',
      type: undefined,
    });
  });

  it.each([{ emojiCode: '2764' }, { emojiType: 'unicode_emoji' }, { emojiCode: '' }])(
    'asks for a name: %j',
    (request) => {
      expect(() => requestedEmoji({ text: 'away', ...request })).toThrow(
        'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
      );
    },
  );
});
