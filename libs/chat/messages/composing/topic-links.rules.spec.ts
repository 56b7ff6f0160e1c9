import { describe, expect, it } from '@jest/globals';
import { topicLinksIn } from './topic-links.rules.js';

/** A linkifier of numbers behind `#`. */
const linksIn = (text: string) =>
  [...text.matchAll(/#(\d+)/g)].map(({ 0: match, 1: number = '', index }) => ({
    start: index,
    end: index + match.length,
    address: `https://issues.test/${number}`,
  }));

const link = (text: string, url = text) => ({ text, url });

describe(topicLinksIn, () => {
  it.each([
    ['lunch', []],
    ['#12', [link('#12', 'https://issues.test/12')]],
    ['https://a.test/x', [link('https://a.test/x')]],
    [
      'see HTTP://a.test, or (http://b.test/y?z=1).',
      [link('HTTP://a.test'), link('http://b.test/y?z=1')],
    ],
    ['https://a.test then #7', [link('https://a.test'), link('#7', 'https://issues.test/7')]],
    ['https://a.test/#7', [link('#7', 'https://issues.test/7')]],
    ['ftp://a.test a.test javascript://x', []],
    ['http://... and <https://a.test>', [link('https://a.test')]],
  ])('finds the links of %j', (topic, expected) => {
    expect(topicLinksIn(topic, linksIn)).toEqual(expected);
  });

  it('finds web addresses without linkifiers', () => {
    expect(topicLinksIn('#12 https://a.test')).toEqual([link('https://a.test')]);
  });
});
