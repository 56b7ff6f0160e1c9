import { constants } from 'node:http2';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Http2Pool, reconnectDelayMs } from './http2-pool.js';
import { DEADLINE_MS, MAX_CONNECTIONS, PoolUnderTest } from './pool-under-test.fixture.js';

describe(reconnectDelayMs.name, () => {
  it.each([
    [1, 0, 100],
    [1, 0.999, 50],
    [3, 0, 400],
    [7, 0, 5000],
    [1000, 0, 5000],
    [1000, 0.5, 3750],
  ])('after %d failures, by chance %d, is about %d', (failures, chance, expected) => {
    expect(reconnectDelayMs(failures, chance)).toBeCloseTo(expected, -1);
  });
});

const LONGEST_REST_MS = 5000;

const wait = (ms: number) => jest.advanceTimersByTimeAsync(ms);

let setup: PoolUnderTest;

beforeAll(() => Logger.overrideLogger(false));

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  setup = new PoolUnderTest();
});

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe(Http2Pool.name, () => {
  it('opens one connection for all first requests', async () => {
    for (let count = 0; count < 10; count += 1) setup.request();
    await wait(100);
    setup.session(0).allow(1);
    expect(setup.open).toHaveLength(1);
    // Like Apple: the limit rises after the first authenticated request.
    setup.session(0).allow(100);
    setup.answerFirst();
    expect(setup.sessions).toHaveLength(1);
    expect(setup.open).toHaveLength(9);
  });

  it('opens another one when all are full and have answered, up to a limit', () => {
    for (let count = 0; count < 100; count += 1) setup.request();
    // Each full session that has answered makes the pool open the next one.
    for (let index = 0; index < setup.sessions.length; index += 1) {
      setup.session(index).allow(2);
      setup.answerFirst(setup.session(index));
    }
    expect(setup.sessions).toHaveLength(MAX_CONNECTIONS);
    expect(setup.open).toHaveLength(2 * MAX_CONNECTIONS);
  });

  it('checks for withdrawal right before it sends', async () => {
    setup.request();
    setup.withdraw(0);
    setup.session(0).allow(100);
    await wait(0);
    expect(setup.outcomes.get(0)).toEqual({ kind: 'withdrawn' });
    expect(setup.session(0).streams).toEqual([]);
  });

  it('checks again before it sends a refused request a second time', async () => {
    setup.request();
    setup.session(0).allow(100);
    setup.withdraw(0);
    setup.session(0).open[0]?.close(constants.NGHTTP2_REFUSED_STREAM);
    await wait(100);
    setup.session(1).allow(100);
    await wait(0);
    expect(setup.outcomes.get(0)).toEqual({ kind: 'withdrawn' });
    expect(setup.session(1).streams).toEqual([]);
  });

  it('settles waiting requests when no connection can be opened, and pauses before the next one', async () => {
    setup.request();
    setup.session(0).destroy(new Error('refused'));
    await wait(0);
    expect(setup.outcomes.get(0)).toEqual({ kind: 'unanswered', reason: 'connection' });
    setup.request();
    expect(setup.sessions).toHaveLength(1);
    await wait(100);
    expect(setup.sessions).toHaveLength(2);
  });

  it('connects at once after the pause, also after many failures', async () => {
    for (let failures = 0; failures < 10; failures += 1) {
      setup.request();
      await wait(LONGEST_REST_MS);
      setup.session(failures).destroy(new Error('refused'));
    }
    await wait(LONGEST_REST_MS);
    const before = setup.sessions.length;
    setup.request();
    expect(setup.sessions).toHaveLength(before + 1);
  });

  it('gives up a connection whose handshake never ends', async () => {
    setup.request();
    await wait(2000);
    expect(setup.outcomes.get(0)).toEqual({ kind: 'unanswered', reason: 'connection' });
  });

  it('detects a silent connection in less than ten seconds', async () => {
    setup.answersPings = false;
    setup.request();
    setup.session(0).allow(100);
    setup.answerFirst();
    setup.request();
    await wait(7000);
    expect(setup.outcomes.get(1)).toEqual({
      kind: 'unanswered',
      reason: 'connection',
      wasSent: true,
    });
    setup.request();
    setup.session(1).allow(100);
    setup.answerFirst(setup.session(1));
    await wait(0);
    expect(setup.outcomes.get(2)).toMatchObject({ status: 200 });
  });

  it('pings an idle connection together with the next request', async () => {
    setup.request();
    setup.session(0).allow(100);
    setup.answerFirst();
    await wait(15_000);
    expect(setup.session(0).pings).toBe(0);
    setup.request();
    expect(setup.session(0).pings).toBe(1);
  });

  it('starts no new stream while bodies are unsent', async () => {
    setup.request();
    const session = setup.session(0);
    session.allow(100);
    session.holdsBodies = true;
    setup.request();
    await wait(51);
    setup.request();
    setup.request();
    expect(session.streams).toHaveLength(3);
    session.releaseBodies();
    expect(session.streams).toHaveLength(4);
  });

  it('starts streams again when those with unsent bodies have ended', async () => {
    setup.request();
    const session = setup.session(0);
    session.allow(100);
    setup.answerFirst();
    session.holdsBodies = true;
    setup.request();
    await wait(51);
    setup.request();
    setup.request();
    expect(session.streams).toHaveLength(3);
    for (const stream of session.open) stream.close(constants.NGHTTP2_CANCEL);
    expect(session.streams).toHaveLength(4);
  });

  it('keeps a slow connection that answers pings', async () => {
    setup.request();
    setup.session(0).allow(100);
    await wait(DEADLINE_MS - 1);
    expect(setup.session(0).pings).toBeGreaterThan(0);
    setup.answerFirst();
    await wait(0);
    expect(setup.outcomes.get(0)).toMatchObject({ status: 200 });
  });

  it('sends requests above the last stream of a GOAWAY again on another connection', async () => {
    for (let count = 0; count < 3; count += 1) setup.request();
    const first = setup.session(0);
    first.allow(100);
    first.goAway(1);
    setup.answerFirst(first);
    await wait(100);
    setup.session(1).allow(100);
    for (const stream of setup.session(1).open) setup.answer(stream);
    await wait(0);
    expect(setup.processed).toEqual([0, 1, 2]);
    expect([...setup.outcomes.values()]).toHaveLength(3);
  });

  it('leaves a connection on which no more streams are allowed', async () => {
    setup.request();
    const first = setup.session(0);
    first.allow(100);
    setup.answerFirst();
    setup.request();
    first.allow(0);
    setup.request();
    setup.session(1).allow(100);
    setup.answerFirst(first);
    setup.answerFirst(setup.session(1));
    await wait(0);
    expect(setup.processed).toEqual([0, 1, 2]);
    expect(first.destroyed).toBe(true);
  });

  it('gives up a connection that allows no stream', async () => {
    setup.request();
    setup.session(0).allow(0);
    await wait(2000);
    expect(setup.outcomes.get(0)).toEqual({ kind: 'unanswered', reason: 'connection' });
  });

  it('bounds the connections that wait for their last answers', async () => {
    for (let index = 0; index < 4 * MAX_CONNECTIONS; index += 1) {
      setup.request();
      setup.request();
      const session = setup.session(index);
      session.allow(2);
      setup.answerFirst(session);
      session.goAway(session.streams.length * 2);
    }
    setup.request();
    expect(setup.sessions).toHaveLength(4 * MAX_CONNECTIONS);
    setup.answerFirst(setup.session(0));
    expect(setup.sessions).toHaveLength(4 * MAX_CONNECTIONS + 1);
    await wait(0);
  });

  it('names the cause of a lost connection, once a minute', () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    for (let index = 0; index < 3; index += 1) {
      setup.request();
      const session = setup.session(index);
      session.allow(100);
      setup.answerFirst(session);
      session.emit('goaway', constants.NGHTTP2_ENHANCE_YOUR_CALM, 1, Buffer.from('{"reason":"x"}'));
      session.destroy(new Error('Session closed with error code 11'));
    }
    expect(warn.mock.calls).toEqual([
      ['Lost 1 connection, the last one: GOAWAY with code 11: {"reason":"x"}'],
    ]);
  });

  it('does not log the orderly end of a connection', () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    setup.request();
    const session = setup.session(0);
    session.allow(100);
    setup.answerFirst();
    session.goAway(1);
    expect(session.destroyed).toBe(true);
    expect(warn).not.toHaveBeenCalled();
  });

  it('retires a connection if an answer concerns it', async () => {
    setup.request();
    setup.session(0).allow(100);
    setup.answerFirst(setup, 421);
    setup.request();
    expect(setup.sessions).toHaveLength(2);
    await wait(0);
    expect(setup.outcomes.get(0)).toMatchObject({ status: 421 });
  });

  it('ends all connections when it is closed', async () => {
    for (let count = 0; count < 3; count += 1) setup.request();
    setup.session(0).allow(1);
    setup.answerFirst();
    setup.session(1).allow(1);
    for (const stream of setup.open) setup.answer(stream);
    await setup.pool.close();
    expect(setup.sessions.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });
});
