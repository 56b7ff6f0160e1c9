import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { requestErrors } from '#platform/contracts';
import { BodyBudget } from './request-body.js';

/** A request with these headers whose body is read when it emits `close`. */
const requestWith = (headers: Record<string, string>, socket = new EventEmitter()) =>
  Object.assign(new EventEmitter(), { headers, socket }) as unknown as IncomingMessage; // All that is read of it.

describe(BodyBudget.name, () => {
  const refusal = expect.objectContaining({ error: requestErrors.temporarilyUnavailable });

  it('releases the memory of a body after reading it', () => {
    const sut = new BodyBudget(100);
    const first = requestWith({ 'content-length': '60' });
    sut.reserve(first, 80);
    expect(() => sut.reserve(requestWith({ 'content-length': '60' }), 80)).toThrow(refusal);
    sut.reserve(requestWith({ 'content-length': '40' }), 80);
    sut.reserve(requestWith({}), 80);
    first.emit('close');
    sut.reserve(requestWith({ 'content-length': '60' }), 80);
  });

  it('releases the memory once when a request ends with its connection', () => {
    const sut = new BodyBudget(100);
    const socket = new EventEmitter();
    const first = requestWith({ 'content-length': '60' }, socket);
    sut.reserve(first, 80);
    socket.emit('close');
    first.emit('close');
    sut.reserve(requestWith({ 'content-length': '60' }, socket), 80);
    expect(() => sut.reserve(requestWith({ 'content-length': '60' }), 80)).toThrow(refusal);
    expect(first.listenerCount('close')).toBe(0);
  });

  it('reserves the limit for a body of unknown or greater length', () => {
    const sut = new BodyBudget(160);
    sut.reserve(requestWith({ 'transfer-encoding': 'chunked' }), 80);
    sut.reserve(requestWith({ 'content-length': '1000' }), 80);
    expect(() => sut.reserve(requestWith({ 'content-length': '1' }), 80)).toThrow(refusal);
  });
});
