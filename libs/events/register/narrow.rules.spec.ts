import { describe, expect, it } from '@jest/globals';
import { narrowOf } from './narrow.rules.js';

describe(narrowOf.name, () => {
  it('keeps pairs, and reads objects as pairs', () => {
    expect(
      narrowOf([
        ['topic', 'Lunch'],
        { operator: 'sender', operand: 'a@example.com', negated: false },
      ]),
    ).toEqual([
      ['topic', 'Lunch'],
      ['sender', 'a@example.com'],
    ]);
  });

  it('keeps the longest address of a sender', () => {
    const term = ['sender', `${'a'.repeat(64)}@${'b.'.repeat(93)}com`];
    expect(narrowOf([term])).toEqual([term]);
  });

  it('is empty without terms', () => {
    expect(narrowOf([])).toEqual([]);
  });

  it.each([
    ['stream', 'channel'],
    ['Stream', 'channel'],
    ['CHANNEL', 'channel'],
    ['Topic', 'topic'],
    ['SENDER', 'sender'],
    ['Is', 'is'],
  ])('reads the operator %s as %s', (given, known) => {
    expect(narrowOf([[given, 'X']])).toEqual([[known, 'X']]);
  });

  it.each(['dm', 'search', '-channel', 'toString', ''])('refuses the operator "%s"', (operator) => {
    expect(() => narrowOf([[operator, 'x']])).toThrow(`Operator ${operator} not supported.`);
  });

  it.each(['is', 'IS'])('refuses followed topics with the operator %s', (operator) => {
    expect(() => narrowOf([[operator, 'followed']])).toThrow('Operand followed not supported.');
  });

  it.each([
    [['topic'], 'element is not a string pair'],
    [['topic', 'a', 'b'], 'element is not a string pair'],
    [['topic', 5], 'element is not a string pair'],
    [['topic', 'x'.repeat(255)], 'element is not a string pair'],
    ['topic', 'dict or list required'],
    [null, 'dict or list required'],
    [{ operand: 'x' }, 'operator is missing'],
    [{ operator: 'topic' }, 'operand is missing'],
    [{ operator: 'topic', operand: [] }, 'element is not a string pair'],
    [{ operator: 'topic', operand: 'x', negated: true }, 'negated is not supported'],
  ])('refuses the shape of %j', (term, reason) => {
    expect(() => narrowOf([['is', 'dm'], term])).toThrow(
      `Invalid narrow[1]: Value error, ${reason}`,
    );
  });
});
