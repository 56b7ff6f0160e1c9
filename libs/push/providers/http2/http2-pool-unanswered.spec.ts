import { constants } from 'node:http2';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Http2Pool } from './http2-pool.js';
import { DEADLINE_MS, PoolUnderTest } from './pool-under-test.fixture.js';

const wait = (ms: number) => jest.advanceTimersByTimeAsync(ms);

let setup: PoolUnderTest;

beforeAll(() => Logger.overrideLogger(false));

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  setup = new PoolUnderTest();
});

afterEach(() => {
  jest.useRealTimers();
});

describe(`${Http2Pool.name} without an answer`, () => {
  it('tells requests that were sent from those that were not', async () => {
    setup.lateMs = 3000;
    setup.request();
    const first = setup.session(0);
    first.allow(1);
    setup.answerFirst();
    setup.request();
    setup.request();
    await wait(DEADLINE_MS);
    const late = { kind: 'unanswered', reason: 'deadline' };
    expect(setup.outcomes.get(1)).toMatchObject({ ...late, wasSent: true });
    expect(setup.outcomes.get(2)).toEqual(late);
  });

  it('takes a request for sent only if all of it was', async () => {
    setup.request();
    const first = setup.session(0);
    first.allow(2);
    setup.answerFirst();
    setup.request();
    first.holdsBodies = true;
    setup.request();
    first.destroy(new Error('reset'));
    await wait(0);
    const lost = { kind: 'unanswered', reason: 'connection' };
    expect(setup.outcomes.get(1)).toEqual({ ...lost, wasSent: true });
    expect(setup.outcomes.get(2)).toEqual(lost);
  });

  it('takes a request for unsent that no connection has processed', async () => {
    setup.request();
    for (let tries = 0; tries < 10; tries += 1) {
      const session = setup.sessions.at(-1);
      session?.allow(100);
      session?.open[0]?.close(constants.NGHTTP2_REFUSED_STREAM);
      await wait(5000);
    }
    expect(setup.outcomes.get(0)).toEqual({ kind: 'unanswered', reason: 'connection' });
  });

  describe('that waits for late answers', () => {
    const lateOf = async () => {
      const outcome = setup.outcomes.get(0);
      return outcome?.kind === 'unanswered' ? outcome.late : undefined;
    };

    beforeEach(async () => {
      setup.lateMs = 3000;
      setup.request();
      setup.session(0).allow(100);
      await wait(DEADLINE_MS);
      expect(setup.outcomes.get(0)).toMatchObject({ reason: 'deadline', wasSent: true });
    });

    it('has the answer that comes after the deadline', async () => {
      await wait(2000);
      setup.answerFirst();
      expect(await lateOf()).toMatchObject({ kind: 'reply', status: 200 });
      expect(setup.open).toEqual([]);
    });

    it('gives up in the end, and cancels the request', async () => {
      await wait(3000);
      expect(await lateOf()).toEqual({ kind: 'unanswered', reason: 'deadline', wasSent: true });
      expect(setup.open).toEqual([]);
    });

    it('has the loss of the connection', async () => {
      setup.session(0).destroy(new Error('reset'));
      expect(await lateOf()).toEqual({ kind: 'unanswered', reason: 'connection', wasSent: true });
    });
  });
});
