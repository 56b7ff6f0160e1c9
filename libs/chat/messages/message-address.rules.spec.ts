import { describe, expect, it } from '@jest/globals';
import { renderMarkdown } from '#platform/markdown';
import {
  type MessageAddress,
  messageLink,
  messagePath,
  originalMessage,
} from './message-address.rules.js';

const inChannel = (name: string, topic: string): MessageAddress => ({
  id: 7,
  channel: { id: 5, name },
  topic,
  people: null,
});
const between = (...ids: readonly number[]): MessageAddress => ({
  id: 7,
  channel: null,
  topic: '',
  people: ids.map((id) => ({ id })),
});

describe(messagePath.name, () => {
  it.each([
    [inChannel('general', 'lunch'), '/#narrow/channel/5-general/topic/lunch/near/7'],
    [inChannel('all hands', ''), '/#narrow/channel/5-all-hands/topic//near/7'],
    [inChannel('q&a', 'v1.0 (x)'), '/#narrow/channel/5-q.26a/topic/v1.2E0.20.28x.29/near/7'],
    [inChannel('günther', '🎉'), '/#narrow/channel/5-g.C3.BCnther/topic/.F0.9F.8E.89/near/7'],
    [between(3), '/#narrow/dm/3-dm/near/7'],
    [between(3, 4), '/#narrow/dm/3,4-dm/near/7'],
    [between(3, 4, 5), '/#narrow/dm/3,4,5-group/near/7'],
    [between(...Array.from({ length: 51 }, (_, index) => index)), '/#narrow/near/7'],
  ])('maps %j to %s', (address, expected) => {
    expect(messagePath(address)).toBe(expected);
  });
});

describe(messageLink.name, () => {
  it.each([
    [inChannel('general', 'lunch'), '[#general > lunch @ 💬](URL)'],
    [inChannel('general', ''), '[#general > general chat @ 💬](URL)'],
    [between(3, 4), 'URL'],
  ])('links %j as %s', (address, expected) => {
    expect(messageLink(address, 'URL')).toBe(expected);
  });

  it('keeps names that look like Markdown as text', () => {
    const link = messageLink(inChannel('a]b', '**x**'), '/u');
    expect(renderMarkdown(link).html).toBe('<p><a href="/u">#a]b &gt; **x** @ 💬</a></p>');
  });
});

describe(originalMessage.name, () => {
  it.each([
    [inChannel('general', 'lunch'), 'Original message at #**general>lunch@7**'],
    [inChannel('general', ''), 'Original message at #**general>@7**'],
    [inChannel('general', 'a > b'), 'Original message at #**general>a > b@7**'],
  ])('links %j by name', (address, expected) => {
    expect(originalMessage(address)).toBe(expected);
  });

  it.each([
    inChannel('gene*ral', 'lunch'),
    inChannel('a>b', 'lunch'),
    inChannel('general', '**bold**'),
    inChannel('general', '```'),
    inChannel('``', 'lunch'),
    between(3, 4),
  ])('links %j by path, because the names need escaping', (address) => {
    const text = originalMessage(address);
    expect(text).toBe(`[Original message](${messagePath(address)})`);
    expect(text).not.toMatch(/[`\n]/);
  });
});
