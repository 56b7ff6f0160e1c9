import { EventEmitter } from 'node:events';
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
  const response = Object.assign(new EventEmitter(), { req: { socket: new EventEmitter() } });
  const http = { getRequest: () => request, getResponse: () => ({ raw: response }) };
  // The used part of the context.
  return { response, context: { switchToHttp: () => http } as unknown as ExecutionContext };
};

/** Handlers that run until they are ended. */
class Handlers {
  readonly running: string[] = [];
  readonly #ends = new Map<string, (answer: unknown) => void>();
  readonly #responses = new Map<string, EventEmitter>();
  readonly #sut = new AnswerSlotInterceptor();

  start(userId: number, name: string): Promise<unknown> {
    const handle = async () => {
      this.running.push(name);
      return new Promise((end) => this.#ends.set(name, end));
    };
    // Nest calls the handler of an endpoint when its observable is subscribed.
    const next = { handle: () => from(handle()) };
    const { response, context } = contextOf(userId);
    this.#responses.set(name, response);
    return lastValueFrom(this.#sut.intercept(context, next));
  }

  /** Ends a handler; its client does not read the answer. */
  async make(name: string, answer: unknown = {}): Promise<void> {
    this.running.splice(this.running.indexOf(name), 1);
    this.#ends.get(name)?.(answer);
    await settled();
  }

  /** The client closes its connection. */
  leave(name: string): void {
    Object.assign(this.#responses.get(name) ?? {}, { destroyed: true });
  }

  /** The client has read the answer. */
  async send(name: string): Promise<void> {
    this.#responses.get(name)?.emit('close');
    await settled();
  }

  async end(name: string, answer: unknown = {}): Promise<void> {
    await this.make(name, answer);
    await this.send(name);
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

  it('makes no third answer of an account before a client has read one of two', async () => {
    const handlers = new Handlers();
    const all = Array.from({ length: 4 }, (_, index) => handlers.start(1, `${index}`));
    await settled();
    await handlers.make('0');
    await handlers.make('1');
    expect(handlers.running).toEqual([]);
    const other = handlers.start(2, 'other');
    await settled();
    expect(handlers.running).toEqual(['other']);
    await handlers.end('other');
    await handlers.send('1');
    expect(handlers.running).toEqual(['2']);
    await handlers.end('2');
    await handlers.end('3');
    await handlers.send('0');
    await Promise.all([...all, other]);
  });

  it('makes no answer for a client that has left', async () => {
    const handlers = new Handlers();
    const first = handlers.start(1, 'first');
    const second = handlers.start(1, 'second');
    await settled();
    handlers.leave('second');
    await handlers.end('first');
    expect(handlers.running).toEqual([]);
    expect(await second).toBeUndefined();
    await first;
  });

  it('runs four of all accounts, and refuses what would wait for too long', async () => {
    const handlers = new Handlers();
    const all = Array.from({ length: 10 }, (_, userId) => handlers.start(userId, `${userId}`));
    await settled();
    expect(handlers.running).toHaveLength(4);
    const waiting = Array.from({ length: 51 }, (_, index) => handlers.start(0, `again ${index}`));
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
