import { describe, expect, it } from '@jest/globals';
import { isTopicOfApp, topicNamedBy } from './client-certificate.rules.js';

describe(topicNamedBy.name, () => {
  it.each([
    ['UID=org.example.chat\nCN=Apple Push Services: org.example.chat', 'org.example.chat'],
    ['CN=x\nUID=org.example.chat', 'org.example.chat'],
    ['CN=UID=org.example.chat', undefined],
    ['CN=Push sandbox', undefined],
  ])('reads %j', (subject, topic) => {
    expect(topicNamedBy(subject)).toBe(topic);
  });
});

describe(isTopicOfApp.name, () => {
  it.each([
    ['org.example.chat', true],
    ['org.example.chat.voip', true],
    ['org.example.chatter', false],
    ['org.example', false],
  ])('says of %s: %s', (topic, expected) => {
    expect(isTopicOfApp(topic, 'org.example.chat')).toBe(expected);
  });
});
