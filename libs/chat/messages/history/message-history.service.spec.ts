import { describe, expect, it } from '@jest/globals';
import { MessageHistoryService } from './message-history.service.js';

type Given = ConstructorParameters<typeof MessageHistoryService>;
type Caller = Parameters<MessageHistoryService['versions']>[0];

describe(MessageHistoryService.name, () => {
  it('shows the newest text if the message is edited after the check of access', async () => {
    const sent = { senderId: 1, sentAt: new Date(0), channel: null, received: null };
    const checked = { ...sent, topic: '', content: 'Old', rendered: '<p>Old</p>' };
    const present = { topic: '', content: 'New', rendered: '<p>New</p>' };
    const edit = {
      userId: 1,
      editedAt: new Date(1),
      prevContent: 'Old',
      prevRendered: '<p>Old</p>',
      prevTopic: null,
      topic: null,
      prevChannelId: null,
      channelId: null,
    };
    const sut = new MessageHistoryService(
      { fetch: () => Promise.resolve(checked) } as unknown as Given[0],
      {} as Given[1],
      {} as Given[2],
      { changes: () => Promise.resolve({ present, edits: [edit] }) } as unknown as Given[3],
      { readableAmong: () => Promise.resolve(new Map()) } as unknown as Given[4],
    );
    const { versions } = await sut.versions({} as Caller, 5);
    expect(versions).toMatchObject([
      { content: 'Old', rendered: '<p>Old</p>' },
      { content: 'New', rendered: '<p>New</p>' },
    ]);
  });
});
