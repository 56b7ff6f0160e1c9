import type { Http2Exchange } from './http2-exchange.js';

/** So many places that are free again are cleared away together. */
const CLEARED_AT = 1024;

/** Requests that wait for a stream, first come first served. */
export class WaitingLine {
  #line: Http2Exchange[] = [];
  #next = 0;
  #front: Http2Exchange[] = [];

  join(exchange: Http2Exchange): void {
    this.#line.push(exchange);
  }

  /** For one that has been called up before. */
  joinInFront(exchange: Http2Exchange): void {
    this.#front.push(exchange);
  }

  /** Whose turn it is; undefined when nobody waits. */
  first(): Http2Exchange | undefined {
    // Those whose deadline has passed are still in line.
    while (this.#front[0]?.isSettled) this.#front.shift();
    if (this.#front[0] !== undefined) return this.#front[0];
    while (this.#line[this.#next]?.isSettled) this.#step();
    return this.#line[this.#next];
  }

  /** Takes the first out of the line. */
  callUp(): Http2Exchange | undefined {
    const exchange = this.first();
    if (exchange === undefined) return undefined;
    if (exchange === this.#front[0]) this.#front.shift();
    else this.#step();
    return exchange;
  }

  /** Takes everybody out of the line. */
  dismiss(): Http2Exchange[] {
    const everybody = [...this.#front, ...this.#line.slice(this.#next)];
    this.#front = [];
    this.#line = [];
    this.#next = 0;
    return everybody;
  }

  #step(): void {
    this.#next += 1;
    if (this.#next < CLEARED_AT && this.#next < this.#line.length) return;
    this.#line.splice(0, this.#next);
    this.#next = 0;
  }
}
