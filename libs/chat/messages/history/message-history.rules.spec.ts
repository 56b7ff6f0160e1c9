import { describe, expect, it } from '@jest/globals';
import { type EditRecord, versionsOf } from './message-history.rules.js';

const at = (seconds: number) => new Date(seconds * 1000);
const message = { topic: 'c', content: 'C', rendered: '<C>', senderId: 1, sentAt: at(1) };
const unchanged = {
  prevContent: null,
  prevRendered: null,
  prevTopic: null,
  topic: null,
  prevChannelId: null,
  channelId: null,
};

describe(versionsOf.name, () => {
  it('is the message as it was sent if it was not changed', () => {
    expect(versionsOf(message, [])).toEqual([
      { topic: 'c', content: 'C', rendered: '<C>', userId: 1, at: at(1), edit: null },
    ]);
  });

  it('goes back over the changes', () => {
    const moved: EditRecord = {
      ...unchanged,
      userId: 3,
      editedAt: at(3),
      prevTopic: 'b',
      topic: 'c',
    };
    const edited: EditRecord = {
      ...unchanged,
      userId: 2,
      editedAt: at(2),
      prevContent: 'A',
      prevRendered: '<A>',
      prevTopic: 'a',
      topic: 'b',
    };
    expect(versionsOf(message, [moved, edited])).toEqual([
      { topic: 'a', content: 'A', rendered: '<A>', userId: 1, at: at(1), edit: null },
      {
        topic: 'b',
        content: 'C',
        rendered: '<C>',
        userId: 2,
        at: at(2),
        edit: edited,
      },
      { topic: 'c', content: 'C', rendered: '<C>', userId: 3, at: at(3), edit: moved },
    ]);
  });
});
