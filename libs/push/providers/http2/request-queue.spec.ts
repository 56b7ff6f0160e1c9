import { describe, expect, it } from '@jest/globals';
import { Http2Exchange } from './http2-exchange.js';
import { RequestQueue } from './http2-pool.js';

const newExchange = () => {
  const request = { headers: {}, body: '', isWithdrawn: () => false };
  const exchange = new Http2Exchange(request, 60_000, () => undefined);
  return exchange;
};

const settle = (exchange: Http2Exchange | undefined) => exchange?.settle({ kind: 'withdrawn' });

describe(RequestQueue.name, () => {
  it('returns requests in the order of arrival, those that were put back first', () => {
    const sut = new RequestQueue();
    const [a, b, c] = [newExchange(), newExchange(), newExchange()];
    sut.push(a);
    sut.push(b);
    sut.pushFront(c);
    expect([sut.shift(), sut.shift(), sut.shift(), sut.shift()]).toEqual([c, a, b, undefined]);
    for (const exchange of [a, b, c]) settle(exchange);
  });

  it('skips settled requests', () => {
    const sut = new RequestQueue();
    const [a, b] = [newExchange(), newExchange()];
    sut.push(a);
    sut.push(b);
    settle(a);
    expect(sut.peek()).toBe(b);
    settle(b);
    expect(sut.peek()).toBeUndefined();
    expect(sut.shift()).toBeUndefined();
  });

  it('keeps the order of thousands of requests', () => {
    const sut = new RequestQueue();
    const all = Array.from({ length: 3000 }, newExchange);
    for (const exchange of all.slice(0, 2000)) sut.push(exchange);
    const taken = Array.from({ length: 1500 }, () => sut.shift());
    for (const exchange of all.slice(2000)) sut.push(exchange);
    taken.push(...Array.from({ length: 1500 }, () => sut.shift()));
    expect(taken.every((exchange, index) => exchange === all[index])).toBe(true);
    for (const exchange of all) settle(exchange);
  });

  it('removes all requests at once', () => {
    const sut = new RequestQueue();
    const [a, b] = [newExchange(), newExchange()];
    sut.push(a);
    sut.pushFront(b);
    expect(sut.drain()).toEqual([b, a]);
    expect(sut.peek()).toBeUndefined();
    for (const exchange of [a, b]) settle(exchange);
  });
});
