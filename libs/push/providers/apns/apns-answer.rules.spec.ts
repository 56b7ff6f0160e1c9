import { describe, expect, it } from '@jest/globals';
import { answerOfApns, ConnectionPolicy } from './apns-answer.rules.js';

const replyOf = (status: number, body: unknown = '', retryAfter?: string) => ({
  status,
  body,
  retryAfter,
});

describe(answerOfApns.name, () => {
  it('maps 200 to accepted', () => {
    expect(answerOfApns(replyOf(200), 0)).toEqual({ kind: 'accepted' });
  });

  it.each([
    ['as text', '{"reason":"Unregistered","timestamp":1700000000000}'],
    ['as JSON', { reason: 'Unregistered', timestamp: 1_700_000_000_000 }],
  ])('parses the reason and the time since when a token is dead, %s', (_how, body) => {
    expect(answerOfApns(replyOf(410, body), 1_800_000_000_000)).toMatchObject({
      status: 410,
      reason: 'Unregistered',
      deadSince: 1_700_000_000_000,
    });
  });

  it.each([
    ['"2026-01-01T00:00:00Z"', null],
    ['-1', null],
    ['{}', null],
    // In nanoseconds: no date.
    ['1700000000000000000', 1_800_000_000_000],
  ])('keeps the reason with the timestamp %s', (timestamp, deadSince) => {
    const body = `{"reason":"Unregistered","timestamp":${timestamp}}`;
    expect(answerOfApns(replyOf(410, body), 1_800_000_000_000)).toMatchObject({
      reason: 'Unregistered',
      deadSince,
    });
  });

  it.each(['', '<html>', '[]', '{"reason":7}'])('has no reason for %j', (body) => {
    expect(answerOfApns(replyOf(400, body), 0)).toMatchObject({
      status: 400,
      reason: null,
      deadSince: null,
    });
  });

  it('parses Retry-After', () => {
    const reply = replyOf(429, '{"reason":"TooManyRequests"}', '7');
    expect(answerOfApns(reply, 0)).toMatchObject({ retryAfterMs: 7000 });
  });
});

describe(ConnectionPolicy.name, () => {
  const refusal = (reason: string) => answerOfApns(replyOf(429, { reason }), 0);

  it.each([
    ['IdleTimeout', true],
    ['Shutdown', true],
    ['UnrelatedKeyIdInToken', true],
    ['TooManyProviderTokenUpdates', true],
    ['TooManyRequests', false],
  ])('for %s is %s, each time', (reason, expected) => {
    const sut = new ConnectionPolicy();
    const retired = [0, 1, 2].map((now) => sut.retires(refusal(reason), now));
    expect(retired).toEqual([expected, expected, expected]);
  });

  it('renews a connection once a minute for apps and keys that it may not know yet', () => {
    const sut = new ConnectionPolicy();
    const retired = [0, 59_999, 60_000].map((now) => sut.retires(refusal('TopicDisallowed'), now));
    expect(retired).toEqual([true, false, true]);
    expect(sut.retires(refusal('BadEnvironmentKeyIdInToken'), 60_001)).toBe(false);
    expect(sut.retires({ kind: 'accepted' }, 200_000)).toBe(false);
  });
});
