import { constants } from 'node:http2';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { Http2Pool } from './http2-pool.js';
import { DEADLINE_MS, PoolUnderTest } from './pool-under-test.fixture.js';

/** An act of the caller, of the other side or of the network. An index chooses one of the candidates there are. */
type Action =
  | { readonly kind: 'request' }
  | { readonly kind: 'withdraw'; readonly index: number }
  | { readonly kind: 'answer'; readonly index: number; readonly status: 200 | 421 }
  | { readonly kind: 'refuse'; readonly index: number }
  | { readonly kind: 'reset' | 'hold' | 'release' | 'silence'; readonly index: number }
  | { readonly kind: 'allow'; readonly index: number; readonly streams: number }
  | { readonly kind: 'goaway'; readonly index: number; readonly last: number }
  | { readonly kind: 'wait'; readonly ms: number };

const index = fc.nat(50);
const kindOf = <Kind extends Action['kind']>(kind: Kind) => fc.constant(kind);

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kindOf('request') }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: kindOf('answer'), index, status: fc.constant(200 as const) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kindOf('allow'),
      index,
      streams: fc.integer({ min: 0, max: 5 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: kindOf('withdraw'), index }) },
  { weight: 3, arbitrary: fc.record({ kind: kindOf('refuse'), index }) },
  fc.record({ kind: kindOf('answer'), index, status: fc.constant(421 as const) }),
  fc.record({ kind: kindOf('reset'), index }),
  fc.record({ kind: kindOf('hold'), index }),
  fc.record({ kind: kindOf('release'), index }),
  fc.record({ kind: kindOf('silence'), index }),
  fc.record({ kind: kindOf('goaway'), index, last: fc.nat(9) }),
  fc.record({ kind: kindOf('wait'), ms: fc.nat(3000) }),
);

const wait = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** Does nothing if there is no candidate. */
async function act(world: PoolUnderTest, step: Action): Promise<void> {
  if (step.kind === 'request') return world.request();
  if (step.kind === 'wait') return void (await wait(step.ms));
  if (step.kind === 'withdraw') {
    const id = world.unsettled[step.index % world.unsettled.length];
    if (id !== undefined) world.withdraw(id);
  } else if (step.kind === 'answer' || step.kind === 'refuse') {
    const stream = world.open[step.index % world.open.length];
    if (step.kind === 'refuse') stream?.close(constants.NGHTTP2_REFUSED_STREAM);
    else if (stream !== undefined) world.answer(stream, step.status);
  } else {
    actOnSession(world, step);
  }
}

function actOnSession(
  { sessions }: PoolUnderTest,
  step: Exclude<Action, { kind: 'request' | 'wait' | 'withdraw' | 'answer' | 'refuse' }>,
): void {
  const session = sessions[step.index % sessions.length];
  if (session === undefined) return;
  switch (step.kind) {
    case 'allow':
      return session.allow(step.streams);
    case 'goaway':
      return session.goAway(step.last);
    case 'reset':
      return session.destroy();
    case 'hold':
      session.holdsBodies = true;
      return;
    case 'release':
      return session.releaseBodies();
    case 'silence':
      session.answersPings = false;
  }
}

describe(`${Http2Pool.name} in any history`, () => {
  beforeAll(() => Logger.overrideLogger(false));
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('settles every request once, repeats none that may have been processed, and sends none that was withdrawn', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const world = new PoolUnderTest();
        for (const step of actions) await act(world, step);
        await wait(DEADLINE_MS);
        expect(world.outcomes.size).toBe(world.requested);
        expect(world.sessions.some(({ wasOverrun }) => wasOverrun)).toBe(false);
        expect(Math.max(0, ...world.triesThatCount)).toBeLessThanOrEqual(1);
        expect(world.sentAfterWithdrawal).toEqual([]);
        const replies = [...world.outcomes].filter(([, outcome]) => outcome.kind === 'reply');
        expect(replies.map(([id]) => id).toSorted()).toEqual(world.processed.toSorted());
        await Promise.all([world.pool.close(), wait(2000)]);
        expect(world.sessions.every(({ destroyed }) => destroyed)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
