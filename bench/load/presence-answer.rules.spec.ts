import { describe, expect, it } from '@jest/globals';
import { readPollAnswer } from './presence-answer.rules.js';

const now = 1_800_000_000;
const recent = { active_timestamp: now - 5, idle_timestamp: now - 5 };

const read = (answer: object, { status = 200, cursor = 100 } = {}) =>
  readPollAnswer({ status, body: JSON.stringify(answer) }, cursor, now);

const answerWith = (cursor: number, presences: object) => ({
  result: 'success',
  msg: '',
  presence_last_update_id: cursor,
  server_timestamp: now,
  presences,
});

describe(readPollAnswer.name, () => {
  it('reads the changed users and the new cursor', () => {
    expect(read(answerWith(104, { 7: recent, 9: recent }))).toEqual({
      cursor: 104,
      users: ['7', '9'],
    });
  });

  it('accepts an empty response with an unchanged cursor', () => {
    expect(read(answerWith(100, {}))).toEqual({ cursor: 100, users: [] });
  });

  it.each([
    ['a refusal', { ...answerWith(104, { 7: recent }), result: 'error' }, {}],
    ['another status', answerWith(104, { 7: recent }), { status: 500 }],
    ['a cursor that goes back', answerWith(99, { 7: recent }), {}],
    ['news without a new cursor', answerWith(100, { 7: recent }), {}],
    ['a new cursor without news', answerWith(104, {}), {}],
    ['an entry from long ago', answerWith(104, { 7: { ...recent, idle_timestamp: 5 } }), {}],
    [
      'an entry from the future',
      answerWith(104, { 7: { ...recent, idle_timestamp: now + 9 } }),
      {},
    ],
    ['an entry without times', answerWith(104, { 7: {} }), {}],
    ['no presences', { result: 'success', presence_last_update_id: 104 }, {}],
  ])('rejects %s', (_, answer, circumstances) => {
    expect(read(answer, circumstances)).toBeNull();
  });

  it('rejects a response that is not JSON', () => {
    expect(readPollAnswer({ status: 200, body: '<html>' }, 100, now)).toBeNull();
  });
});
