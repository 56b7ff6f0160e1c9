import { describe, expect, it } from '@jest/globals';
import { outcomeOf, refusal } from '#push/providers';
import {
  BreakerUnderTest,
  delivered,
  deviceThrottled,
  lateAnswer,
  unclear,
  throttled,
  temporaryError,
  unanswered,
} from './breaker.fixture.js';

describe('A breaker that is closed', () => {
  it('allows all pushes', () => {
    const sut = new BreakerUnderTest().send(delivered, 100);
    expect(sut.breaker.state).toBe('closed');
    expect(sut.retryAt).toBeNull();
  });

  it('opens after five pushes in a row without an answer', () => {
    const sut = new BreakerUnderTest().send(delivered, 100).send(unanswered, 4);
    expect(sut.retryAt).toBeNull();
    sut.send(unanswered);
    expect([sut.breaker.state, sut.cause]).toEqual(['open', 'outage']);
    expect(sut.retryAt).toBe(sut.now + 1000);
  });

  it('opens after late answers to five accounts in a row', () => {
    const sut = new BreakerUnderTest().send(lateAnswer, 4);
    expect(sut.breaker.state).toBe('closed');
    sut.send(lateAnswer);
    expect([sut.breaker.state, sut.cause]).toEqual(['open', 'outage']);
  });

  it('is not affected by answers that are not of the provider', () => {
    const sut = new BreakerUnderTest().send(unclear, 100);
    expect(sut.breaker.state).toBe('closed');
    expect(sut.retryAt).toBeNull();
    expect(sut.send(temporaryError, 9).send(unclear).send(temporaryError).breaker.state).toBe(
      'open',
    );
  });

  it('opens after failures of ten devices in a row', () => {
    const sut = new BreakerUnderTest().send(delivered, 100).send(temporaryError, 9);
    expect(sut.breaker.state).toBe('closed');
    sut.send(temporaryError);
    expect([sut.breaker.state, sut.cause]).toEqual(['open', 'outage']);
  });

  it('does not open while the push service does not know an organisation', () => {
    const unknown = refusal({ status: 403, reason: 'MISSING_REMOTE_REALM' });
    const sut = new BreakerUnderTest().send(outcomeOf('push service', unknown), 100);
    expect(sut.breaker.state).toBe('closed');
    expect(sut.retryAt).toBeNull();
  });

  it('opens when half of the pushes fail', () => {
    const sut = new BreakerUnderTest();
    for (let round = 0; round < 4; round += 1) sut.send(delivered).send(temporaryError);
    expect(sut.breaker.state).toBe('closed');
    sut.send(delivered).send(temporaryError);
    expect(sut.breaker.state).toBe('open');
  });

  it.each([
    [9999, 'open'],
    [10_000, 'closed'],
  ])('forgets failures after ten seconds: after %i ms it is %s', (laterMs, state) => {
    const sut = new BreakerUnderTest();
    for (let round = 0; round < 4; round += 1) sut.send(delivered).send(temporaryError);
    sut.later(laterMs).send(delivered).send(temporaryError);
    expect(sut.breaker.state).toBe(state);
  });

  it('takes the share of failures among the answers of up to ten seconds', () => {
    const sut = new BreakerUnderTest().send(delivered, 2).later(6000).send(delivered, 2);
    sut.send(throttled(20_000), 3);
    expect(sut.breaker.state).toBe('closed');
    sut.send(throttled(20_000));
    expect(sut.breaker.state).toBe('open');
  });

  it('counts only failures of the same cause', () => {
    const sut = new BreakerUnderTest().send(temporaryError, 5).send(throttled(20_000), 2);
    expect(sut.breaker.state).toBe('closed');
    const inARow = new BreakerUnderTest().send(delivered, 100);
    inARow.send(deviceThrottled(1000), 5).send(temporaryError, 5);
    expect(inARow.breaker.state).toBe('closed');
  });

  it('forgets answers when the clock is set back', () => {
    const sut = new BreakerUnderTest().send(delivered, 100).later(-3_600_000);
    sut.send(throttled(20_000), 3);
    expect([sut.breaker.state, sut.cause]).toEqual(['open', 'throttled']);
  });

  it('opens for the Retry-After of several devices', () => {
    const sut = new BreakerUnderTest().send(throttled(20_000), 2);
    expect(sut.breaker.state).toBe('closed');
    sut.send(throttled(20_000));
    expect([sut.breaker.state, sut.cause]).toEqual(['open', 'throttled']);
    expect(sut.retryAt).toBeGreaterThanOrEqual(sut.now + 20_000);
    expect(sut.wait()).toBe(20_000);
  });

  it('counts a 503 with Retry-After as a throttle', () => {
    const asked = refusal({ status: 503, reason: 'UNAVAILABLE', retryAfterMs: 8000 });
    const sut = new BreakerUnderTest().send(outcomeOf('fcm', asked), 3);
    expect(sut.cause).toBe('throttled');
    expect(sut.wait()).toBe(8000);
  });

  it('pauses a minute after a throttle of Google without Retry-After', () => {
    const sut = new BreakerUnderTest().send(throttled(null), 3);
    expect(sut.wait()).toBe(60_000);
  });

  it('opens for device throttles only when many devices are affected, and briefly', () => {
    const sut = new BreakerUnderTest().send(deviceThrottled(3_000_000), 9);
    expect(sut.breaker.state).toBe('closed');
    sut.send(deviceThrottled(3_000_000));
    expect(sut.retryAt).toBe(sut.now + 3_000_000);
    expect(sut.wait()).toBe(60_000);
  });

  it.each([
    ['a temporary error', temporaryError],
    ['a throttle', throttled(60_000)],
    ['a throttle of its own', deviceThrottled(null)],
    ['late answers', lateAnswer],
  ])('does not open for repeated failures of two accounts: %s', (_, outcome) => {
    const sut = new BreakerUnderTest();
    for (let tries = 0; tries < 100; tries += 1) {
      expect(sut.acquire()).toBeNull();
      sut.record(outcome, { userId: 7 + (tries % 2) }).later(500);
      expect(sut.retryAt).toBeNull();
    }
    expect(sut.breaker.state).toBe('closed');
  });
});
