import { describe, expect, it } from '@jest/globals';
import { topicsPolicyOf } from './topics-policy.rules.js';

describe(topicsPolicyOf.name, () => {
  it.each([
    ['inherit', 'allow_empty_topic', 'allow_empty_topic'],
    ['inherit', 'disable_empty_topic', 'disable_empty_topic'],
    ['allow_empty_topic', 'disable_empty_topic', 'allow_empty_topic'],
    ['disable_empty_topic', 'allow_empty_topic', 'disable_empty_topic'],
    ['empty_topic_only', 'disable_empty_topic', 'empty_topic_only'],
  ])('of a channel with %s in an organisation with %s is %s', (channel, organisation, expected) => {
    expect(topicsPolicyOf(channel, organisation)).toBe(expected);
  });
});
