import { describe, expect, it } from '@jest/globals';
import { shownTopic, storedTopic } from './topic-name.rules.js';

describe(storedTopic.name, () => {
  it.each([
    ['', ''],
    ['general chat', ''],
    ['(no topic)', ''],
    ['General chat', 'General chat'],
    ['no topic', 'no topic'],
    ['lunch', 'lunch'],
  ])('of %j is %j', (name, expected) => {
    expect(storedTopic(name)).toBe(expected);
  });
});

describe(shownTopic.name, () => {
  it.each([
    ['', true, ''],
    ['', false, 'general chat'],
    ['lunch', true, 'lunch'],
    ['lunch', false, 'lunch'],
  ])('of %j, with the empty topic allowed: %s, is %j', (topic, isEmptyAllowed, expected) => {
    expect(shownTopic(topic, isEmptyAllowed)).toBe(expected);
  });
});
