import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { requestErrors } from '#platform/contracts';
import { MemoryBudget } from './memory-budget.js';
import { BodyBudget, disconnectWhenStalled } from './request-body.js';

/** A request with these headers whose body is read when it emits `close`. */
const requestWith = (headers: Record<string, string>, socket = new EventEmitter()) =>
  Object.assign(new EventEmitter(), { headers, socket }) as unknown as IncomingMessage; // All that is read of it.

describe(disconnectWhenStalled.name, () => {
  const HOUR_MS = 3_600_000;
  const begin = (complete: boolean) => {
    const destroy = jest.fn();
    const setTimeout = jest.fn();
    const request = Object.assign(requestWith({}), { complete, destroy, setTimeout });
    const response = new EventEmitter() as unknown as ServerResponse; // All that is used of it.
    disconnectWhenStalled(request, response);
    return { destroy, response };
  };

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('ends an upload that never stalls after an hour', () => {
    const { destroy } = begin(false);
    jest.advanceTimersByTime(HOUR_MS - 1);
    expect(destroy).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(destroy).toHaveBeenCalledTimes(1);
  });

  it('does not end an answered upload, or one that has arrived', () => {
    const answered = begin(false);
    answered.response.emit('close');
    const arrived = begin(true);
    jest.advanceTimersByTime(HOUR_MS);
    expect(answered.destroy).not.toHaveBeenCalled();
    expect(arrived.destroy).not.toHaveBeenCalled();
  });
});

describe(BodyBudget.name, () => {
  const unavailable = expect.objectContaining({ error: requestErrors.temporarilyUnavailable });
  const rateLimited = expect.objectContaining({ error: requestErrors.rateLimited });

  it('leaves memory to others when an owner sends many bodies slowly', () => {
    const sut = new BodyBudget(new MemoryBudget({ bytes: 100, ownBytes: 50 }));
    const body = () => requestWith({ 'content-length': '40' });
    sut.reserve(body(), 80, 'a');
    expect(() => sut.reserve(body(), 80, 'a')).toThrow(rateLimited);
    sut.reserve(body(), 80, 'b');
  });

  it('releases the memory of a body after reading it', () => {
    const sut = new BodyBudget(new MemoryBudget({ bytes: 100, ownBytes: 100 }));
    const first = requestWith({ 'content-length': '60' });
    sut.reserve(first, 80, 'a');
    expect(() => sut.reserve(requestWith({ 'content-length': '60' }), 80, 'b')).toThrow(
      unavailable,
    );
    sut.reserve(requestWith({ 'content-length': '40' }), 80, 'b');
    sut.reserve(requestWith({}), 80, 'a');
    first.emit('close');
    sut.reserve(requestWith({ 'content-length': '60' }), 80, 'a');
  });

  it('releases the memory once when a request ends with its connection', () => {
    const sut = new BodyBudget(new MemoryBudget({ bytes: 100, ownBytes: 100 }));
    const socket = new EventEmitter();
    const first = requestWith({ 'content-length': '60' }, socket);
    sut.reserve(first, 80, 'a');
    socket.emit('close');
    first.emit('close');
    sut.reserve(requestWith({ 'content-length': '60' }, socket), 80, 'a');
    expect(() => sut.reserve(requestWith({ 'content-length': '60' }), 80, 'b')).toThrow(
      unavailable,
    );
    expect(first.listenerCount('close')).toBe(0);
  });

  it('reserves the limit for a body of unknown or greater length', () => {
    const sut = new BodyBudget(new MemoryBudget({ bytes: 160, ownBytes: 160 }));
    sut.reserve(requestWith({ 'transfer-encoding': 'chunked' }), 80, 'a');
    sut.reserve(requestWith({ 'content-length': '1000' }), 80, 'b');
    expect(() => sut.reserve(requestWith({ 'content-length': '1' }), 80, 'c')).toThrow(unavailable);
  });
});
