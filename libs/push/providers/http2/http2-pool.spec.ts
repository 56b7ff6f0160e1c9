import { constants } from 'node:http2';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { FakeSession, type FakeStream } from './fake-session.fixture.js';
import type { Http2Outcome } from './http2-exchange.js';
import { Http2Pool, reconnectDelayMs } from './http2-pool.js';

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

const DEADLINE_MS = 8000;
const MAX_CONNECTIONS = 3;

/** A pool and its fake sessions. */
class Setup {
  readonly sessions: FakeSession[] = [];
  readonly outcomes = new Map<number, Http2Outcome>();
  readonly processed: number[] = [];
  requested = 0;
  answersPings = true;

  readonly pool = new Http2Pool({
    name: 'Test',
    maxConnections: MAX_CONNECTIONS,
    connectTimeoutMs: 2000,
    retiresConnection: ({ status }) => status === 421,
    open: () => {
      const session = new FakeSession();
      session.answersPings = this.answersPings;
      this.sessions.push(session);
      return session.opened;
    },
  });

  request(isWithdrawn = () => false): void {
    const id = this.requested;
    this.requested += 1;
    const headers = { id };
    void this.pool.request({ headers, body: '', isWithdrawn }, DEADLINE_MS).then((outcome) => {
      this.outcomes.set(id, outcome);
    });
  }

  get open(): FakeStream[] {
    return this.sessions.flatMap(({ open }) => open);
  }

  accept(stream: FakeStream | undefined): void {
    if (stream === undefined) return;
    this.processed.push(Number(stream.headers['id']));
    stream.answer(200);
  }

  /** How often each request was sent without a refusal of its stream. */
  get triesThatCount(): number[] {
    const counts = Array.from({ length: this.requested }, () => 0);
    for (const { headers, rstCode } of this.sessions.flatMap(({ streams }) => streams)) {
      const id = Number(headers['id']);
      if (rstCode !== constants.NGHTTP2_REFUSED_STREAM) counts[id] = (counts[id] ?? 0) + 1;
    }
    return counts;
  }
}

const LONGEST_REST_MS = 5000;

const wait = (ms: number) => jest.advanceTimersByTimeAsync(ms);

let setup: Setup;

beforeAll(() => Logger.overrideLogger(false));

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  setup = new Setup();
});

afterEach(() => {
  jest.useRealTimers();
});

describe(Http2Pool.name, () => {
  it('opens one connection for all first requests', async () => {
    for (let count = 0; count < 10; count += 1) setup.request();
    await wait(100);
    setup.sessions[0]?.allow(1);
    expect(setup.open).toHaveLength(1);
    // Like Apple: the limit rises after the first authenticated request.
    setup.sessions[0]?.allow(100);
    setup.accept(setup.open[0]);
    expect(setup.sessions).toHaveLength(1);
    expect(setup.open).toHaveLength(9);
  });

  it('opens another one when all are full and have answered, up to a limit', () => {
    for (let count = 0; count < 100; count += 1) setup.request();
    for (let index = 0; index < 5; index += 1) {
      setup.sessions[index]?.allow(2);
      setup.accept(setup.sessions[index]?.open[0]);
    }
    expect(setup.sessions).toHaveLength(MAX_CONNECTIONS);
    expect(setup.open).toHaveLength(2 * MAX_CONNECTIONS);
  });

  it('checks for withdrawal right before it sends', async () => {
    let isWithdrawn = false;
    setup.request(() => isWithdrawn);
    isWithdrawn = true;
    setup.sessions[0]?.allow(100);
    await wait(0);
    expect(setup.outcomes.get(0)).toEqual({ kind: 'withdrawn' });
    expect(setup.sessions[0]?.streams).toEqual([]);
  });

  it('settles waiting requests when no connection can be opened, and pauses before the next one', async () => {
    setup.request();
    setup.sessions[0]?.destroy(new Error('refused'));
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
      setup.sessions.at(-1)?.destroy(new Error('refused'));
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
    setup.sessions[0]?.allow(100);
    setup.accept(setup.open[0]);
    setup.request();
    await wait(7000);
    expect(setup.outcomes.get(1)).toEqual({ kind: 'unanswered', reason: 'connection' });
    setup.request();
    setup.sessions[1]?.allow(100);
    setup.accept(setup.sessions[1]?.open[0]);
    await wait(0);
    expect(setup.outcomes.get(2)).toMatchObject({ status: 200 });
  });

  it('pings an idle connection together with the next request', async () => {
    setup.request();
    setup.sessions[0]?.allow(100);
    setup.accept(setup.open[0]);
    await wait(15_000);
    expect(setup.sessions[0]?.pings).toBe(0);
    setup.request();
    expect(setup.sessions[0]?.pings).toBe(1);
  });

  it('starts no new stream while bodies are unsent', async () => {
    setup.request();
    const [session] = setup.sessions;
    session?.allow(100);
    if (session !== undefined) session.holdsBodies = true;
    setup.request();
    await wait(51);
    setup.request();
    setup.request();
    expect(session?.streams).toHaveLength(3);
    session?.releaseBodies();
    expect(session?.streams).toHaveLength(4);
  });

  it('starts streams again when those with unsent bodies have ended', async () => {
    setup.request();
    const [session] = setup.sessions;
    session?.allow(100);
    setup.accept(setup.open[0]);
    if (session !== undefined) session.holdsBodies = true;
    setup.request();
    await wait(51);
    setup.request();
    setup.request();
    expect(session?.streams).toHaveLength(3);
    for (const stream of session?.open ?? []) stream.close(constants.NGHTTP2_CANCEL);
    expect(session?.streams).toHaveLength(4);
  });

  it('keeps a slow connection that answers pings', async () => {
    setup.request();
    setup.sessions[0]?.allow(100);
    await wait(DEADLINE_MS - 1);
    expect(setup.sessions[0]?.pings).toBeGreaterThan(0);
    setup.accept(setup.open[0]);
    await wait(0);
    expect(setup.outcomes.get(0)).toMatchObject({ status: 200 });
  });

  it('sends requests above the last stream of a GOAWAY again on another connection', async () => {
    for (let count = 0; count < 3; count += 1) setup.request();
    const [first] = setup.sessions;
    first?.allow(100);
    first?.goAway(first.streams[0]?.id ?? 0);
    setup.accept(first?.open[0]);
    await wait(100);
    setup.sessions[1]?.allow(100);
    for (const stream of setup.sessions[1]?.open ?? []) setup.accept(stream);
    await wait(0);
    expect(setup.processed).toEqual([0, 1, 2]);
    expect([...setup.outcomes.values()]).toHaveLength(3);
  });

  it('retires a connection if an answer concerns it', async () => {
    setup.request();
    setup.sessions[0]?.allow(100);
    setup.open[0]?.answer(421);
    setup.request();
    expect(setup.sessions).toHaveLength(2);
    await wait(0);
    expect(setup.outcomes.get(0)).toMatchObject({ status: 421 });
  });

  it('ends all connections when it is closed', async () => {
    for (let count = 0; count < 3; count += 1) setup.request();
    setup.sessions[0]?.allow(1);
    setup.accept(setup.open[0]);
    setup.sessions[1]?.allow(1);
    for (const stream of setup.open) setup.accept(stream);
    await setup.pool.close();
    expect(setup.sessions.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  });

  it('settles every request once in any history, and never repeats one that may have been processed', async () => {
    const index = fc.nat(50);
    const action = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('request' as const) }) },
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('accept' as const), index }) },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('allow' as const),
          index,
          streams: fc.integer({ min: 0, max: 5 }),
        }),
      },
      fc.record({ kind: fc.constant('refuse' as const), index }),
      fc.record({ kind: fc.constant('goaway' as const), index, last: fc.nat(9) }),
      fc.record({ kind: fc.constant('reset' as const), index }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(3000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const world = new Setup();
        for (const step of actions) await act(world, step);
        await wait(DEADLINE_MS);
        expect(world.outcomes.size).toBe(world.requested);
        expect(world.sessions.some(({ wasOverrun }) => wasOverrun)).toBe(false);
        expect(Math.max(0, ...world.triesThatCount)).toBeLessThanOrEqual(1);
        const successes = [...world.outcomes].filter(([, outcome]) => outcome.kind === 'reply');
        expect(successes.map(([id]) => id).toSorted()).toEqual(world.processed.toSorted());
        await Promise.all([world.pool.close(), wait(2000)]);
        expect(world.sessions.every(({ destroyed }) => destroyed)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

type Action =
  | { kind: 'request' }
  | { kind: 'accept' | 'refuse' | 'reset'; index: number }
  | { kind: 'allow'; index: number; streams: number }
  | { kind: 'goaway'; index: number; last: number }
  | { kind: 'wait'; ms: number };

async function act(world: Setup, action: Action): Promise<void> {
  const pick = <T>(list: readonly T[], index: number) => list[index % Math.max(1, list.length)];
  switch (action.kind) {
    case 'request':
      return world.request();
    case 'accept':
      return world.accept(pick(world.open, action.index));
    case 'refuse':
      return pick(world.open, action.index)?.close(constants.NGHTTP2_REFUSED_STREAM);
    case 'allow':
      return pick(world.sessions, action.index)?.allow(action.streams);
    case 'goaway':
      return pick(world.sessions, action.index)?.goAway(action.last);
    case 'reset':
      return pick(world.sessions, action.index)?.destroy();
    case 'wait':
      await wait(action.ms);
  }
}
