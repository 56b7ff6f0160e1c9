import { describe, expect, it } from '@jest/globals';
import { refuseEmptyRequest, requestedEmoji } from './status-request.rules.js';

describe(refuseEmptyRequest.name, () => {
  it.each([{}, { text: undefined, emojiName: undefined }])('rejects %j', (request) => {
    expect(() => refuseEmptyRequest(request, { hasOther: false })).toThrow(
      'Client did not pass any new values.',
    );
  });

  it.each([{ text: '' }, { emojiName: '' }, { emojiCode: '2764' }, { emojiType: '' }])(
    'accepts %j',
    (request) => {
      expect(() => refuseEmptyRequest(request, { hasOther: false })).not.toThrow();
    },
  );

  it('accepts an empty request with another value', () => {
    expect(() => refuseEmptyRequest({}, { hasOther: true })).not.toThrow();
  });
});

describe(requestedEmoji.name, () => {
  it('keeps the emoji if the request contains none', () => {
    expect(requestedEmoji({ text: 'away' })).toBeUndefined();
  });

  it.each([
    { emojiName: '' },
    { emojiName: '', emojiCode: '', emojiType: '' },
    { emojiName: '', emojiCode: '2764', emojiType: 'nonsense' },
  ])('removes the emoji for %j', (request) => {
    expect(requestedEmoji(request)).toBeNull();
  });

  it('returns the requested emoji', () => {
    expect(requestedEmoji({ emojiName: 'car', emojiCode: '1f697' })).toEqual({
      name: 'car',
      code: '1f697',
      type: undefined,
    });
  });

  it.each([{ emojiCode: '2764' }, { emojiType: 'unicode_emoji' }, { emojiCode: '' }])(
    'requires a name: %j',
    (request) => {
      expect(() => requestedEmoji({ text: 'away', ...request })).toThrow(
        'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
      );
    },
  );
});
