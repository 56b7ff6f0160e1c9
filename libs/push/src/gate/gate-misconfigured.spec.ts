import { describe, expect, it } from '@jest/globals';
import { GateUnderTest, delivered, misconfigured } from './gate.fixture.js';

describe('A gate whose configuration is at fault', () => {
  it('lets others try one at a time while only one account was told so', () => {
    const sut = new GateUnderTest().send(misconfigured);
    expect(sut.comesBackAt).toBe(sut.now + 5000);
    expect(sut.pass()).toBeNull();
    expect(sut.pass()).toBe(sut.now + 250);
    sut.settle(delivered);
    expect(sut.gate.state).toBe('closed');
  });

  it('opens once three were told so, and waits longer up to five minutes', () => {
    const sut = new GateUnderTest().send(misconfigured, 2);
    expect(sut.gate.state).toBe('half_open');
    const pauses = Array.from({ length: 8 }, () => {
      sut.send(misconfigured);
      expect(sut.gate.state).toBe('open');
      expect(sut.comesBackAt).toBe(sut.gate.state === 'open' ? sut.gate.reopensAt : 0);
      return sut.wait() / 1000;
    });
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('waits longer for one account that is told so again and again', () => {
    const sut = new GateUnderTest();
    const pauses = Array.from({ length: 4 }, () => {
      expect(sut.pass()).toBeNull();
      sut.settle(misconfigured, { userId: 7 });
      const seconds = ((sut.comesBackAt ?? 0) - sut.now) / 1000;
      sut.later(seconds * 1000);
      return seconds;
    });
    expect(pauses).toEqual([5, 10, 20, 40]);
    expect(sut.gate.state).toBe('half_open');
  });

  it('closes with the first answer', () => {
    const sut = new GateUnderTest().send(misconfigured, 3);
    sut.wait();
    sut.send(delivered);
    expect(sut.gate.state).toBe('closed');
    expect(sut.gate.openedCount).toBe(1);
  });

  it('counts what was under sut, without waiting longer for it', () => {
    const sut = new GateUnderTest();
    const admittedAt = sut.now - 1;
    for (let late = 0; late < 20; late += 1) sut.settle(misconfigured, { admittedAt });
    expect(sut.gate.state).toBe('open');
    expect(sut.wait()).toBe(5000);
  });

  it('holds up nobody else when one account is told so while others are answered', () => {
    const sut = new GateUnderTest().send(delivered, 5);
    for (let token = 0; token < 6; token += 1) sut.settle(misconfigured, { userId: 900 });
    expect(sut.gate.state).toBe('closed');
    expect(sut.comesBackAt).toBe(sut.now + 60_000);
    sut.send(delivered);
    expect(sut.gate.state).toBe('closed');
  });

  it('opens at the third account in a row, though others were answered just before', () => {
    const sut = new GateUnderTest().send(delivered, 5).send(misconfigured, 2);
    expect(sut.gate.state).toBe('closed');
    expect(sut.comesBackAt).toBe(sut.now + 5000);
    sut.send(misconfigured);
    expect(sut.gate.state).toBe('open');
  });

  it('doubts at once when only the same account was answered before', () => {
    const sut = new GateUnderTest().settle(delivered, { userId: 7 });
    sut.settle(misconfigured, { userId: 7 });
    expect(sut.gate.state).toBe('half_open');
  });
});
