import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { SteadyAnswers } from './steady-answers.js';

const NOW = 1_800_000_000_000;
const EXPECTED = { cursor: 100, fewest: 100, most: 100 };

function answerWith(entries: number, { isGzip = false, status = 200, cursor = 200 } = {}) {
  const time = NOW / 1000 - 5;
  const presences = Object.fromEntries(
    Array.from({ length: entries }, (_, id) => [
      id,
      { active_timestamp: time, idle_timestamp: time },
    ]),
  );
  const text = JSON.stringify({
    result: 'success',
    presence_last_update_id: cursor,
    presences,
  });
  return { status, isGzip, body: isGzip ? gzipSync(text).toString('latin1') : text };
}

const isRight = (answer: ReturnType<typeof answerWith>) =>
  new SteadyAnswers().isRight(answer, EXPECTED, NOW);

describe(SteadyAnswers.name, () => {
  it.each([
    ['all entries', answerWith(100)],
    ['all entries, compressed', answerWith(100, { isGzip: true })],
    ['some repeated entries', answerWith(110)],
    ['nearly all', answerWith(96)],
  ])('accepts a response with %s', (_, answer) => {
    expect(isRight(answer)).toBe(true);
  });

  it.each([
    ['a part of the entries', answerWith(90)],
    ['too many entries', answerWith(150)],
    ['another status', answerWith(100, { status: 500 })],
    ['a cursor that goes back', answerWith(100, { cursor: 99 })],
    ['a body that is not gzip', { ...answerWith(100), isGzip: true }],
  ])('rejects a response with %s', (_, answer) => {
    expect(isRight(answer)).toBe(false);
  });

  it('accepts more entries up to the upper limit', () => {
    expect(new SteadyAnswers().isRight(answerWith(150), { ...EXPECTED, most: 140 }, NOW)).toBe(
      true,
    );
  });

  it('checks only status and length of the other responses', () => {
    const sut = new SteadyAnswers();
    sut.isRight(answerWith(100), EXPECTED, NOW);
    expect(sut.isRight({ ...answerWith(100), body: 'x'.repeat(1000) }, EXPECTED, NOW)).toBe(false);
    expect(sut.isRight(answerWith(99), EXPECTED, NOW)).toBe(true);
    expect(sut.isRight(answerWith(99, { status: 502 }), EXPECTED, NOW)).toBe(false);
  });

  it('averages the entries and bytes of the responses that it has read', () => {
    const sut = new SteadyAnswers();
    const answer = answerWith(100, { isGzip: true });
    sut.isRight(answer, EXPECTED, NOW);
    expect(sut.average).toEqual({ entries: 100, bytes: answer.body.length });
  });
});
