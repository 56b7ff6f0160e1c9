import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { QueueOptions } from '#events/declarations';
import { optionsWith } from '#test/queue-options';
import {
  type FlagEventBody,
  flagEventBody,
  flagEventType,
  unreadDetails,
} from './flag-event.rules.js';

const keyOf = (body: FlagEventBody) => flagEventType.merging?.keyOf({ ...body });
const merge = (bodies: readonly FlagEventBody[]) =>
  flagEventType.merging?.merge(bodies.map((body) => ({ ...body })));

describe('Events side by side about flags', () => {
  it('become one if they add the same flag', () => {
    const [first, second] = [
      flagEventBody('add', 'read', [3, 9]),
      flagEventBody('add', 'read', [3, 5]),
    ];
    expect(keyOf(first)).toBe(keyOf(second));
    expect(merge([first, second])).toEqual(flagEventBody('add', 'read', [3, 5, 9]));
  });

  it('become the event that merging one pair after another gives', () => {
    const ids = fc.uniqueArray(fc.nat(50)).map((some) => some.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(fc.array(ids, { minLength: 2 }), (all) => {
        const bodies = all.map((messages) => flagEventBody('add', 'read', messages));
        const pairwise = bodies.reduce((first, second) => {
          const messages = [...new Set([...first.messages, ...second.messages])];
          return { ...second, messages: messages.toSorted((a, b) => a - b) };
        });
        expect(merge(bodies)).toEqual(pairwise);
      }),
    );
  });

  it('count their messages', () => {
    const body = { ...flagEventBody('add', 'read', [3, 9]) };
    expect(flagEventType.merging?.sizeOf(body)).toBe(2);
  });

  it.each<[string, FlagEventBody, FlagEventBody]>([
    ['another flag', flagEventBody('add', 'read', [1]), flagEventBody('add', 'starred', [2])],
    ['a removal', flagEventBody('add', 'starred', [1]), flagEventBody('remove', 'starred', [2])],
    [
      'two removals',
      flagEventBody('remove', 'starred', [1]),
      flagEventBody('remove', 'starred', [2]),
    ],
    [
      'one about all messages',
      { ...flagEventBody('add', 'read', []), all: true },
      flagEventBody('add', 'read', [2]),
    ],
  ])('stay two with %s', (_, first, second) => {
    const key = keyOf(first);
    expect(key === null || key !== keyOf(second)).toBe(true);
  });
});

const unread = {
  isChanged: true,
  ignoredIn: null,
  topic: '',
  isMuted: false,
  isMentioned: false,
  isWildcardMentioned: false,
};
const inChannel = { ...unread, channelId: 3, otherIds: null };

describe(unreadDetails.name, () => {
  it('names the place of a message, and mentions', () => {
    const place = { type: 'stream', stream_id: 3, topic: '' };
    expect(
      unreadDetails([
        { ...unread, id: 1, channelId: null, otherIds: [4, 5], isMentioned: true },
        { ...inChannel, id: 2 },
        { ...inChannel, id: 3, isMuted: true, isWildcardMentioned: true },
        { ...inChannel, id: 4, isMuted: true, isMentioned: true },
        { ...inChannel, id: 5, isWildcardMentioned: true },
      ]),
    ).toEqual({
      1: { type: 'private', user_ids: [4, 5], mentioned: true },
      2: { ...place, unmuted_stream_msg: true },
      3: { ...place, unmuted_stream_msg: false },
      4: { ...place, unmuted_stream_msg: false, mentioned: true },
      5: { ...place, unmuted_stream_msg: true, mentioned: true },
    });
  });
});

describe('The details of unread messages', () => {
  const body = {
    ...flagEventBody('remove', 'read', [1, 2]),
    message_details: unreadDetails([
      { ...inChannel, id: 1 },
      { ...unread, id: 2, channelId: null, otherIds: [4] },
    ]),
  };
  const formFor = (capabilities: QueueOptions['capabilities']) =>
    flagEventType.formsOf?.(body, optionsWith(...capabilities));

  it('name the empty topic for clients that do not support it', () => {
    expect(formFor(['empty_topic_name'])).toEqual([body]);
    const topic = 'general chat';
    const details = { 1: { ...body.message_details[1], topic }, 2: body.message_details[2] };
    expect(formFor([])).toEqual([{ ...body, message_details: details }]);
  });
});
