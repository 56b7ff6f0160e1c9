import { describe, expect, it } from '@jest/globals';
import type { ClientCapability } from '#events/declarations';
import { optionsWith } from '#test/queue-options';
import { deletionEventBodies, deletionEventType } from './deletion-event.rules.js';

const formsOf = (place: { channelId: number | null; topic: string }, ...more: ClientCapability[]) =>
  deletionEventBodies(place, [2, 1]).flatMap((body) =>
    deletionEventType.formsOf?.({ ...body }, optionsWith(...more)),
  );

describe('the event delete_message', () => {
  it('has all messages for a capable queue', () => {
    expect(formsOf({ channelId: 5, topic: 'lunch' }, 'bulk_message_deletion')).toEqual([
      { message_type: 'stream', stream_id: 5, topic: 'lunch', message_ids: [1, 2] },
    ]);
  });

  it('is one for each message for other queues', () => {
    expect(formsOf({ channelId: null, topic: '' })).toEqual([
      { message_type: 'private', message_id: 1 },
      { message_type: 'private', message_id: 2 },
    ]);
  });

  it('names the empty topic unless the client knows it', () => {
    const place = { channelId: 5, topic: '' };
    expect(formsOf(place)[0]).toMatchObject({ topic: 'general chat' });
    expect(formsOf(place, 'empty_topic_name')[0]).toMatchObject({ topic: '' });
  });

  it('is divided where there are many messages', () => {
    const ids = Array.from({ length: 2500 }, (_, index) => index + 1);
    const bodies = deletionEventBodies({ channelId: 5, topic: 'x' }, ids);
    expect(bodies.map(({ message_ids }) => message_ids.length)).toEqual([1000, 1000, 500]);
    expect(bodies.flatMap(({ message_ids }) => message_ids)).toEqual(ids);
  });
});
