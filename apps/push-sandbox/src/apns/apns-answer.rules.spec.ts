import { describe, expect, it } from '@jest/globals';
import { apnsAnswerOfMode, apnsRefusal, apnsScriptedAnswer } from './apns-answer.rules.js';

const id = 'EC1BF194-B3B2-424A-89A9-5A918A6E6B5D';
const now = new Date(1_700_000_000_000);

describe(apnsRefusal.name, () => {
  it("has Apple's status and body for a reason", () => {
    expect(apnsRefusal('BadTopic', id)).toEqual({
      status: 400,
      reason: 'BadTopic',
      headers: { 'apns-id': id, 'content-type': 'application/json' },
      body: '{"reason":"BadTopic"}',
    });
  });
});

describe(apnsScriptedAnswer.name, () => {
  it.each([
    [
      'a dead token, with the time that was asked for',
      { status: 410, reason: 'Unregistered', timestamp: 5 },
      { status: 410, body: '{"reason":"Unregistered","timestamp":5}' },
    ],
    [
      'a dead token, from now on',
      { reason: 'ExpiredToken' },
      { status: 410, body: '{"reason":"ExpiredToken","timestamp":1700000000000}' },
    ],
    [
      'a busy device',
      { reason: 'TooManyRequests', retry_after: 3 },
      { status: 429, headers: { 'retry-after': '3' }, body: '{"reason":"TooManyRequests"}' },
    ],
    [
      'a reason that Apple does not document',
      { status: 403, reason: 'BadEnvironmentKeyInToken' },
      { status: 403, body: '{"reason":"BadEnvironmentKeyInToken"}' },
    ],
    ['trouble without words', { status: 500 }, { status: 500, reason: null, body: '' }],
    ['success', { status: 200 }, { status: 200, reason: null, body: '' }],
  ])('answers with %s', (_case, script, answer) => {
    expect(apnsScriptedAnswer({ platform: 'apns', ...script }, id, now)).toMatchObject(answer);
  });
});

describe(apnsAnswerOfMode.name, () => {
  it('refuses in the modes throttle and bad_credentials, and accepts in the others', () => {
    expect(apnsAnswerOfMode({ mode: 'throttle', retry_after: 2 }, id)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '2' },
    });
    expect(apnsAnswerOfMode({ mode: 'bad_credentials' }, id)?.reason).toBe('InvalidProviderToken');
    expect(apnsAnswerOfMode({ mode: 'slow', delay_ms: 5 }, id)).toBeUndefined();
  });
});
