import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HostSlots } from './host-slots.js';

const never = new AbortController().signal;

/** Whether a promise has settled by now. */
const isSettled = async (promise: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([promise.then(() => true), new Promise((r) => setImmediate(r, false))])) ===
  true;

describe(HostSlots.name, () => {
  it('lets other hosts pass a slow one', async () => {
    const sut = new HostSlots({ perHost: 2, inAll: 4, waitingPerHost: 1 });
    const [first] = [await sut.take('slow', never), await sut.take('slow', never)];
    const waiting = sut.take('slow', never);
    expect(await sut.take('slow', never)).toBeNull();
    expect(await sut.take('other', never)).not.toBeNull();
    expect(await isSettled(waiting)).toBe(false);
    first?.();
    expect(await waiting).not.toBeNull();
  });

  it('gives a slot of all to a host that waits for one', async () => {
    const sut = new HostSlots({ perHost: 2, inAll: 1, waitingPerHost: 5 });
    const release = await sut.take('a', never);
    const waiting = sut.take('b', never);
    release?.();
    release?.();
    const second = await waiting;
    expect(second).not.toBeNull();
    expect(await isSettled(sut.take('c', never))).toBe(false);
  });

  it('lets the hosts with a line take turns', async () => {
    const sut = new HostSlots({ perHost: 9, inAll: 1, waitingPerHost: 9 });
    const order: string[] = [];
    const send = async (host: string) => {
      const release = await sut.take(host, never);
      order.push(host);
      setImmediate(() => release?.());
    };
    await Promise.all(['a', 'a', 'a', 'b', 'b'].map(send));
    expect(order).toEqual(['a', 'a', 'b', 'a', 'b']);
  });

  it('forgets what was given up', async () => {
    const sut = new HostSlots({ perHost: 1, inAll: 9, waitingPerHost: 1 });
    const release = await sut.take('a', never);
    const abort = new AbortController();
    const given = sut.take('a', abort.signal);
    abort.abort();
    expect(await given).toBeNull();
    const next = sut.take('a', never);
    release?.();
    expect(await next).not.toBeNull();
    expect(await sut.take('b', AbortSignal.abort())).not.toBeNull();
  });

  it('keeps the limits and leaves nobody waiting, in any order', async () => {
    const steps = fc.array(
      fc.record({ host: fc.constantFrom('a', 'b', 'c'), isTaken: fc.boolean() }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const limits = { perHost: 2, inAll: 4, waitingPerHost: 100 };
        const sut = new HostSlots(limits);
        const held: { readonly host: string; readonly release: () => void }[] = [];
        const asked: Promise<unknown>[] = [];
        let granted = 0;
        for (const { host, isTaken } of given) {
          if (isTaken) {
            asked.push(
              sut.take(host, never).then((release) => {
                granted += 1;
                held.push({ host, release: release ?? (() => undefined) });
              }),
            );
          } else held.shift()?.release();
          await Promise.resolve();
          await Promise.resolve();
          expect(held.length).toBeLessThanOrEqual(limits.inAll);
          for (const name of ['a', 'b', 'c']) {
            const ofHost = held.filter((one) => one.host === name).length;
            expect(ofHost).toBeLessThanOrEqual(limits.perHost);
          }
        }
        while (granted < asked.length) {
          held.shift()?.release();
          await new Promise((resolve) => setImmediate(resolve));
        }
      }),
      { numRuns: 50 },
    );
  });
});
