import { describe, expect, it } from '@jest/globals';
import type { ClientCapability, QueueOptions } from '#events/declarations';
import { type UpdateEventBody, updateEventType } from './update-event.rules.js';

const body: UpdateEventBody = {
  user_id: 5,
  edit_timestamp: 7,
  message_id: 1,
  message_ids: [1],
  rendering_only: false,
};

function formOf(change: Partial<UpdateEventBody>, ...capabilities: ClientCapability[]) {
  // The form depends on no other option.
  const options = { capabilities } as unknown as QueueOptions;
  return updateEventType.formsOf?.({ ...body, ...change }, options);
}

describe('the event update_message', () => {
  it('names the empty topic unless the client knows it', () => {
    const change = { orig_subject: '', subject: 'x' };
    expect(formOf(change)).toEqual([{ ...body, orig_subject: 'general chat', subject: 'x' }]);
    expect(formOf(change, 'empty_topic_name')).toEqual([{ ...body, ...change }]);
  });

  it('has no topic where none changed', () => {
    expect(formOf({})).toEqual([body]);
  });
});
