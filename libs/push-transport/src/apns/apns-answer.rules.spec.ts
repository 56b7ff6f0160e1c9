import { describe, expect, it } from '@jest/globals';
import { answerOfApns, speaksOfConnection } from './apns-answer.rules.js';

const replyOf = (status: number, body: unknown = '', retryAfter?: string) => ({
  status,
  body,
  retryAfter,
});

describe(answerOfApns.name, () => {
  it('takes 200 for acceptance', () => {
    expect(answerOfApns(replyOf(200), 0)).toEqual({ kind: 'accepted' });
  });

  it.each([
    ['as text', '{"reason":"Unregistered","timestamp":1700000000000}'],
    ['as JSON', { reason: 'Unregistered', timestamp: 1_700_000_000_000 }],
  ])('reads the reason, and since when a token is dead, %s', (_how, body) => {
    expect(answerOfApns(replyOf(410, body), 0)).toMatchObject({
      status: 410,
      reason: 'Unregistered',
      deadSince: 1_700_000_000_000,
    });
  });

  it.each(['', '<html>', '[]', '{"reason":7}'])('knows no reason from %j', (body) => {
    expect(answerOfApns(replyOf(400, body), 0)).toMatchObject({
      status: 400,
      reason: null,
      deadSince: null,
    });
  });

  it('passes on how long to wait', () => {
    const reply = replyOf(429, '{"reason":"TooManyRequests"}', '7');
    expect(answerOfApns(reply, 0)).toMatchObject({ retryAfterMs: 7000 });
  });
});

describe(speaksOfConnection.name, () => {
  it.each([
    ['Shutdown', true],
    ['TooManyProviderTokenUpdates', true],
    ['TooManyRequests', false],
  ])('of %s is %s', (reason, expected) => {
    const answer = answerOfApns(replyOf(429, { reason }), 0);
    expect(speaksOfConnection(answer)).toBe(expected);
  });
});
