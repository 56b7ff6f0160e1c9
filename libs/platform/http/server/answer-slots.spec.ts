import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { from, lastValueFrom } from 'rxjs';
import { AnswerSlotInterceptor } from './answer-slots.js';
import { JsonText } from './response-body.rules.js';
import { JsonBytes } from './sliced-json.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A request of an account. */
const contextOf = (userId: number) => {
  const request = { authenticated: { caller: { userId } }, ip: '10.0.0.1' };
  // The used part of the context.
  return { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
};

/** Handlers that run until they are ended. */
class Handlers {
  readonly running: string[] = [];
  readonly #ends = new Map<string, (answer: unknown) => void>();
  readonly #sut = new AnswerSlotInterceptor();

  start(userId: number, name: string): Promise<unknown> {
    const handle = async () => {
      this.running.push(name);
      return new Promise((end) => this.#ends.set(name, end));
    };
    // Nest calls the handler of an endpoint when its observable is subscribed.
    const next = { handle: () => from(handle()) };
    return lastValueFrom(this.#sut.intercept(contextOf(userId), next));
  }

  async end(name: string, answer: unknown = {}): Promise<void> {
    this.running.splice(this.running.indexOf(name), 1);
    this.#ends.get(name)?.(answer);
    await settled();
  }
}

describe(AnswerSlotInterceptor.name, () => {
  it('lets the requests of an account wait for each other before they read anything', async () => {
    const handlers = new Handlers();
    const all = [1, 1, 2].map((userId, index) => handlers.start(userId, `${index}`));
    await settled();
    expect(handlers.running).toEqual(['0', '2']);
    await handlers.end('0');
    expect(handlers.running).toEqual(['2', '1']);
    await handlers.end('1');
    await handlers.end('2');
    await Promise.all(all);
  });

  it('runs four of all accounts, and refuses what would wait for too long', async () => {
    const handlers = new Handlers();
    const all = Array.from({ length: 10 }, (_, userId) => handlers.start(userId, `${userId}`));
    await settled();
    expect(handlers.running).toHaveLength(4);
    const waiting = Array.from({ length: 50 }, (_, index) => handlers.start(0, `again ${index}`));
    await settled();
    await expect(handlers.start(0, 'more')).rejects.toMatchObject({
      error: { code: 'SERVICE_UNAVAILABLE' },
    });
    while (handlers.running.length > 0) await handlers.end(String(handlers.running[0]));
    await Promise.all([...all, ...waiting]);
  });

  it('makes the JSON of fields, and leaves other answers as they are', async () => {
    const handlers = new Handlers();
    const plain = handlers.start(1, 'plain');
    await settled();
    await handlers.end('plain', { a: 1 });
    expect(await plain).toEqual(new JsonBytes([Buffer.from('{"a":1}')]));
    const text = new JsonText('{}');
    const other = handlers.start(1, 'text');
    await settled();
    await handlers.end('text', text);
    expect(await other).toBe(text);
  });
});
