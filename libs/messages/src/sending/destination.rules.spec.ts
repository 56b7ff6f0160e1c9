import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MOST_RECIPIENTS, readChannel, readPeople } from './destination.rules.js';

describe(readChannel.name, () => {
  it.each([
    ['5', { id: 5 }],
    ['[5]', { id: 5 }],
    ['"5"', { name: '5' }],
    ['general', { name: 'general' }],
    ['"general"', { name: 'general' }],
    ['["general"]', { name: 'general' }],
    [' general ', { name: 'general' }],
    ['[design', { name: '[design' }],
    ['', { name: '' }],
  ])('reads %j', (given, expected) => {
    expect(readChannel(given)).toEqual(expected);
  });

  it.each(['null', 'true', '{}', '[]', '[1,2]', '[[1]]', '1.5', '1e400', '9007199254740993'])(
    'refuses %s',
    (given) => {
      expect(() => readChannel(given)).toThrow('A channel must be given by its ID or by its name');
    },
  );
});

describe(readPeople.name, () => {
  it.each([
    ['[1,2]', { ids: [1, 2] }],
    ['[2,1,2]', { ids: [2, 1] }],
    ['3', { ids: [3] }],
    ['["a@b","c@d"]', { emails: ['a@b', 'c@d'] }],
    ['[" a@b "]', { emails: ['a@b'] }],
    ['"a@b"', { emails: ['a@b'] }],
    ['a@b', { emails: ['a@b'] }],
    ['a@b, c@d,', { emails: ['a@b', 'c@d'] }],
  ])('reads %s', (given, expected) => {
    expect(readPeople(given)).toEqual(expected);
  });

  it.each([
    ['[]', 'Message must have recipients'],
    ['', 'Message must have recipients'],
    ['""', 'Message must have recipients'],
    [',', 'Message must have recipients'],
    ['[1,"a@b"]', 'Recipients must be either user IDs or email addresses, not both'],
    ['[1,null]', 'Recipients must be a list of user IDs or a list of email addresses'],
    ['{"id":1}', 'Recipients must be a list of user IDs or a list of email addresses'],
    ['true', 'Recipients must be a list of user IDs or a list of email addresses'],
    ['[1.5]', 'Recipients must be a list of user IDs or a list of email addresses'],
  ])('refuses %s', (given, message) => {
    expect(() => readPeople(given)).toThrow(message);
  });

  it('takes so many and no more, not counting the same twice', () => {
    const ids = Array.from({ length: MOST_RECIPIENTS }, (_, index) => index + 1);
    expect(readPeople(JSON.stringify([...ids, ...ids]))).toEqual({ ids });
    expect(() => readPeople(JSON.stringify([...ids, 0]))).toThrow(
      'Too many recipients (limit: 1000)',
    );
  });

  it('reads back any list of numbers, each once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 50 }), (ids) => {
        expect(readPeople(JSON.stringify(ids))).toEqual({ ids: [...new Set(ids)] });
      }),
    );
  });
});
