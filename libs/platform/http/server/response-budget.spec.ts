import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { requestErrors } from '#platform/contracts';
import { MemoryBudget } from './memory-budget.js';
import { ResponseBudget } from './response-budget.js';

describe(ResponseBudget.name, () => {
  const rateLimited = expect.objectContaining({ error: requestErrors.rateLimited });
  const unavailable = expect.objectContaining({ error: requestErrors.temporarilyUnavailable });
  let sut: ResponseBudget;
  let destroy: jest.Mock;

  /** All that is used of a response; it is sent when it emits `close`. */
  const responseOn = (socket: EventEmitter, destroyed = false) =>
    Object.assign(new EventEmitter(), {
      req: { socket },
      destroyed,
      destroy,
    }) as unknown as ServerResponse;
  const newResponse = () => responseOn(new EventEmitter());

  beforeEach(() => {
    jest.useFakeTimers();
    destroy = jest.fn();
    sut = new ResponseBudget(new MemoryBudget({ bytes: 100, ownBytes: 50 }));
  });

  afterEach(() => void jest.useRealTimers());

  it('limits the responses of an owner until they are sent', () => {
    const first = newResponse();
    expect(sut.reserve(first, 30, 'a')).toBeNull();
    expect(sut.reserve(newResponse(), 30, 'a')).toEqual(rateLimited);
    expect(sut.reserve(newResponse(), 30, 'b')).toBeNull();
    first.emit('close');
    expect(sut.reserve(newResponse(), 30, 'a')).toBeNull();
  });

  it('limits all responses together', () => {
    const first = newResponse();
    expect(sut.reserve(first, 40, 'a')).toBeNull();
    expect(sut.reserve(newResponse(), 40, 'b')).toBeNull();
    expect(sut.reserve(newResponse(), 40, 'c')).toEqual(unavailable);
    first.emit('close');
    expect(sut.reserve(newResponse(), 40, 'c')).toBeNull();
  });

  it('counts shared bytes once for all, until the last response with them is sent', () => {
    const list = { length: 60 };
    const responses = [newResponse(), newResponse()];
    for (const [owner, response] of responses.entries()) {
      expect(sut.reserve(response, 65, `${owner}`, [list])).toBeNull();
    }
    expect(sut.reserve(newResponse(), 31, 'x')).toEqual(unavailable);
    responses[0]?.emit('close');
    expect(sut.reserve(newResponse(), 36, 'x')).toEqual(unavailable);
    expect(sut.reserve(newResponse(), 35, 'x')).toBeNull();
    responses[1]?.emit('close');
    expect(sut.reserve(newResponse(), 65, 'y')).toBeNull();
    expect(sut.reserve(newResponse(), 1, 'z')).toEqual(unavailable);
  });

  it('counts shared bytes that have changed, and all of them for their owner', () => {
    expect(sut.reserve(newResponse(), 45, 'a', [{ length: 40 }])).toBeNull();
    expect(sut.reserve(newResponse(), 45, 'a', [{ length: 40 }])).toEqual(rateLimited);
    expect(sut.reserve(newResponse(), 45, 'b', [{ length: 40 }])).toBeNull();
    expect(sut.reserve(newResponse(), 45, 'c', [{ length: 40 }])).toEqual(unavailable);
  });

  it('lets an owner have one response beyond its limit', () => {
    expect(sut.reserve(newResponse(), 80, 'a')).toBeNull();
    expect(sut.reserve(newResponse(), 1, 'a')).toEqual(rateLimited);
  });

  it('releases the memory once when a response ends with its connection', () => {
    const socket = new EventEmitter();
    const first = responseOn(socket);
    sut.reserve(first, 40, 'a');
    sut.reserve(newResponse(), 40, 'b');
    socket.emit('close');
    first.emit('close');
    expect(sut.reserve(newResponse(), 60, 'c')).toBeNull();
    expect(sut.reserve(newResponse(), 1, 'd')).toEqual(unavailable);
    expect(first.listenerCount('close')).toBe(0);
  });

  it('reserves nothing for a client that has left', () => {
    expect(sut.reserve(responseOn(new EventEmitter(), true), 80, 'a')).toBeNull();
    expect(sut.reserve(newResponse(), 100, 'b')).toBeNull();
  });

  it('disconnects a client that has not read its response after ten minutes', () => {
    const sent = newResponse();
    sut.reserve(sent, 10, 'a');
    sent.emit('close');
    jest.advanceTimersByTime(600_000);
    expect(destroy).not.toHaveBeenCalled();
    sut.reserve(newResponse(), 10, 'a');
    jest.advanceTimersByTime(600_000);
    expect(destroy).toHaveBeenCalledTimes(1);
  });
});
