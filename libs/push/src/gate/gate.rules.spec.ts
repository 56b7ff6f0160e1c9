import { describe, expect, it } from '@jest/globals';
import { refusal } from '#push-transport';
import { outcomeOf } from '../deliver/outcome-policy.rules.js';
import {
  GateUnderTest,
  delivered,
  deviceThrottled,
  throttled,
  trouble,
  unanswered,
} from './gate.fixture.js';

describe('A gate that is closed', () => {
  it('lets everything pass', () => {
    const sut = new GateUnderTest().send(delivered, 100);
    expect(sut.gate.state).toBe('closed');
    expect(sut.comesBackAt).toBeNull();
  });

  it('opens when the provider does not answer five times in a row', () => {
    const sut = new GateUnderTest().send(delivered, 100).send(unanswered, 4);
    expect(sut.comesBackAt).toBeNull();
    sut.send(unanswered);
    expect([sut.gate.state, sut.cause]).toEqual(['open', 'outage']);
    expect(sut.comesBackAt).toBe(sut.now + 1000);
  });

  it('opens when ten devices in a row meet with trouble', () => {
    const sut = new GateUnderTest().send(delivered, 100).send(trouble, 9);
    expect(sut.gate.state).toBe('closed');
    sut.send(trouble);
    expect([sut.gate.state, sut.cause]).toEqual(['open', 'outage']);
  });

  it('opens when half of what it sends fails', () => {
    const sut = new GateUnderTest();
    for (let round = 0; round < 4; round += 1) sut.send(delivered).send(trouble);
    expect(sut.gate.state).toBe('closed');
    sut.send(delivered).send(trouble);
    expect(sut.gate.state).toBe('open');
  });

  it('forgets failures after ten seconds', () => {
    const sut = new GateUnderTest();
    for (let round = 0; round < 4; round += 1) sut.send(delivered).send(trouble);
    sut.later(10_000).send(delivered).send(trouble);
    expect(sut.gate.state).toBe('closed');
  });

  it('opens for the time that the provider asks of several devices', () => {
    const sut = new GateUnderTest().send(throttled(20_000), 2);
    expect(sut.gate.state).toBe('closed');
    sut.send(throttled(20_000));
    expect([sut.gate.state, sut.cause]).toEqual(['open', 'throttled']);
    expect(sut.comesBackAt).toBeGreaterThanOrEqual(sut.now + 20_000);
    expect(sut.wait()).toBe(20_000);
  });

  it('takes a 503 that names a time for a throttle', () => {
    const asked = refusal({ status: 503, reason: 'UNAVAILABLE', retryAfterMs: 8000 });
    const sut = new GateUnderTest().send(outcomeOf('fcm', asked), 3);
    expect(sut.cause).toBe('throttled');
    expect(sut.wait()).toBe(8000);
  });

  it('waits a minute after a throttle of Google that names no time', () => {
    const sut = new GateUnderTest().send(throttled(null), 3);
    expect(sut.wait()).toBe(60_000);
  });

  it('believes a throttle of single devices only from many of them, and not for long', () => {
    const sut = new GateUnderTest().send(deviceThrottled(3_000_000), 9);
    expect(sut.gate.state).toBe('closed');
    sut.send(deviceThrottled(3_000_000));
    expect(sut.comesBackAt).toBe(sut.now + 3_000_000);
    expect(sut.wait()).toBe(60_000);
  });

  it.each([
    ['trouble', trouble],
    ['a throttle', throttled(60_000)],
    ['a throttle of its own', deviceThrottled(null)],
  ])('is not opened by one device however often it meets with %s', (_, outcome) => {
    const sut = new GateUnderTest();
    for (let tries = 0; tries < 100; tries += 1) {
      expect(sut.pass()).toBeNull();
      sut.settle(outcome, { userId: 7 }).later(500);
      expect(sut.comesBackAt).toBeNull();
    }
    expect(sut.gate.state).toBe('closed');
  });
});
