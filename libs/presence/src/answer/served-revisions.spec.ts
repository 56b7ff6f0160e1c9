import { beforeEach, describe, expect, it } from '@jest/globals';
import { ServedRevisions } from './served-revisions.js';

describe(ServedRevisions.name, () => {
  let sut: ServedRevisions;

  beforeEach(() => {
    sut = new ServedRevisions();
  });

  it('remembers the latest state of each account', () => {
    sut.note(1, 5, 0);
    sut.note(1, 3, 10);
    sut.note(2, 4, 20);
    expect([1, 2, 3].map((userId) => sut.of(userId))).toEqual([5, 4, 0]);
  });

  it('remembers it for as long as bodies are given out, and forgets it then', () => {
    sut.note(1, 5, 0);
    sut.note(2, 6, 999);
    sut.note(3, 7, 1000);
    expect([1, 2, 3].map((userId) => sut.of(userId))).toEqual([5, 6, 7]);
    sut.note(3, 8, 2000);
    expect([1, 2, 3].map((userId) => sut.of(userId))).toEqual([0, 0, 8]);
  });

  it('keeps what it knew of an account that was answered again', () => {
    sut.note(1, 5, 0);
    sut.note(1, 2, 1000);
    sut.note(2, 1, 2000);
    expect(sut.of(1)).toBe(5);
  });
});
