import { describe, expect, it } from '@jest/globals';
import { Http2Exchange } from './http2-exchange.js';
import { WaitingLine } from './waiting-line.js';

const newExchange = () => {
  const request = { headers: {}, body: '', isWithdrawn: () => false };
  const exchange = new Http2Exchange(request, 60_000, () => undefined);
  return exchange;
};

const settle = (exchange: Http2Exchange | undefined) => exchange?.settle({ kind: 'withdrawn' });

describe(WaitingLine.name, () => {
  it('calls up in the order of arrival, those who were called up before first', () => {
    const sut = new WaitingLine();
    const [a, b, c] = [newExchange(), newExchange(), newExchange()];
    sut.join(a);
    sut.join(b);
    sut.joinInFront(c);
    expect([sut.callUp(), sut.callUp(), sut.callUp(), sut.callUp()]).toEqual([c, a, b, undefined]);
    for (const exchange of [a, b, c]) settle(exchange);
  });

  it('passes over those who are settled', () => {
    const sut = new WaitingLine();
    const [a, b] = [newExchange(), newExchange()];
    sut.join(a);
    sut.join(b);
    settle(a);
    expect(sut.first()).toBe(b);
    settle(b);
    expect(sut.first()).toBeUndefined();
    expect(sut.callUp()).toBeUndefined();
  });

  it('keeps the order over many', () => {
    const sut = new WaitingLine();
    const all = Array.from({ length: 3000 }, newExchange);
    for (const exchange of all.slice(0, 2000)) sut.join(exchange);
    const called = Array.from({ length: 1500 }, () => sut.callUp());
    for (const exchange of all.slice(2000)) sut.join(exchange);
    called.push(...Array.from({ length: 1500 }, () => sut.callUp()));
    expect(called.every((exchange, index) => exchange === all[index])).toBe(true);
    for (const exchange of all) settle(exchange);
  });

  it('dismisses everybody', () => {
    const sut = new WaitingLine();
    const [a, b] = [newExchange(), newExchange()];
    sut.join(a);
    sut.joinInFront(b);
    expect(sut.dismiss()).toEqual([b, a]);
    expect(sut.first()).toBeUndefined();
    for (const exchange of [a, b]) settle(exchange);
  });
});
