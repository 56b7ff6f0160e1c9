import { describe, expect, it } from '@jest/globals';
import type { QueueOptions } from '#events/declarations';
import { optionsWith } from '#test/queue-options';
import type { StoredMessage } from '../reading/message.repository.js';
import { messageEventBody, messageEventType, readerFlags } from './message-event.rules.js';

const sender = { id: 4, email: 'Sender@chat.test', fullName: 'Sender', isSystemBot: false };
const channelMessage: Omit<StoredMessage, 'received'> = {
  id: 7,
  realmId: 1,
  senderId: 4,
  sender: { ...sender, realm: { subdomain: 'team' } },
  channelId: 3,
  channel: { id: 3, name: 'Design', isPrivate: false, isHistoryPublic: null },
  conversationId: null,
  people: null,
  topic: 'Lunch',
  content: '**Hi**',
  rendered: '<p><strong>Hi</strong></p>',
  client: 'test',
  sentAt: new Date(1_700_000_000_000),
  editedAt: null,
  movedAt: null,
  edits: [],
  reactions: [],
  submessages: [],
};
const directMessage = {
  ...channelMessage,
  channelId: null,
  channel: null,
  conversationId: 2,
  people: [sender],
  topic: '',
};

const options = optionsWith();

const stored = (message: Omit<StoredMessage, 'received'>) => ({
  ...messageEventBody({ ...message, topicLinks: [] }),
});

describe('The event of a message', () => {
  const formOf = (message: Omit<StoredMessage, 'received'>, more: Partial<QueueOptions>) =>
    messageEventType.formsOf?.(stored(message), { ...options, ...more });

  it('has the content that the client asked for', () => {
    const html = { content: '<p><strong>Hi</strong></p>', content_type: 'text/html' };
    const markdown = { content: '**Hi**', content_type: 'text/x-markdown' };
    expect(formOf(channelMessage, { applyMarkdown: true })).toMatchObject([{ message: html }]);
    expect(formOf(channelMessage, {})).toMatchObject([{ message: markdown }]);
  });

  it('names the empty topic for clients that do not support it', () => {
    const nameless = { ...channelMessage, topic: '' };
    expect(formOf(nameless, {})).toMatchObject([{ message: { subject: 'general chat' } }]);
    expect(formOf(nameless, { capabilities: ['empty_topic_name'] })).toMatchObject([
      { message: { subject: '' } },
    ]);
    expect(formOf(directMessage, {})).toMatchObject([{ message: { subject: '' } }]);
  });

  it('has the picture of the sender unless the client computes it', () => {
    expect(formOf(channelMessage, { clientGravatar: true })).toMatchObject([
      { message: { avatar_url: null } },
    ]);
    expect(formOf(channelMessage, { clientGravatar: false })).toMatchObject([
      { message: { avatar_url: expect.stringMatching(/^\/avatar\/\d+\?version=1$/) } },
    ]);
  });
});

describe('The narrow of a queue', () => {
  const isFor = (
    message: Omit<StoredMessage, 'received'>,
    narrow: QueueOptions['narrow'],
    flags: readonly string[] = [],
  ) =>
    messageEventType.isFor?.(stored(message), {
      userId: 5,
      options: { ...options, narrow },
      flags,
    });

  it.each<[string, string, boolean, boolean]>([
    ['channel', 'design', true, false],
    ['stream', 'DESIGN', true, false],
    ['channel', 'other', false, false],
    ['topic', 'lunch', true, false],
    ['topic', 'dinner', false, false],
    ['sender', 'sender@CHAT.test', true, true],
    ['sender', 'other@chat.test', false, false],
    ['is', 'dm', false, true],
    ['is', 'private', false, true],
    ['is', 'resolved', false, false],
    ['is', 'unread', true, true],
    ['is', 'starred', false, false],
    ['is', 'mentioned', false, false],
    ['is', 'alerted', false, false],
    ['is', 'something else', true, true],
  ])(
    '%s:%s matches a channel message: %s, a direct one: %s',
    (operator, operand, ofChannel, ofPeople) => {
      expect(isFor(channelMessage, [[operator, operand]])).toBe(ofChannel);
      expect(isFor(directMessage, [[operator, operand]])).toBe(ofPeople);
    },
  );

  it('uses the flags of the reader', () => {
    expect(isFor(channelMessage, [['is', 'unread']], ['read'])).toBe(false);
    expect(isFor(channelMessage, [['is', 'starred']], ['starred'])).toBe(true);
    expect(isFor(channelMessage, [['is', 'mentioned']], ['mentioned'])).toBe(true);
    expect(isFor(channelMessage, [['is', 'alerted']], ['mentioned'])).toBe(true);
  });

  it('finds resolved topics', () => {
    expect(isFor({ ...channelMessage, topic: '✔ Lunch' }, [['is', 'resolved']])).toBe(true);
  });

  it.each(['σας', 'ΣΑΣ'])('finds a topic in any case of its letters: %s', (operand) => {
    for (const topic of ['σας', 'ΣΑΣ', 'Σας']) {
      expect(isFor({ ...channelMessage, topic }, [['topic', operand]])).toBe(true);
    }
  });

  it.each([
    ['strasse', 'Straße', false],
    ['straße', 'STRASSE', true],
    ['Straße', 'straße', true],
  ])('finds what a narrow of fetched messages finds: %s, %s', (operand, topic, isFound) => {
    expect(isFor({ ...channelMessage, topic }, [['topic', operand]])).toBe(isFound);
  });

  it('finds a channel by a name that is compared as the same', () => {
    expect(isFor(channelMessage, [['channel', 'Ｄesign']])).toBe(true);
  });

  it.each(['', 'general chat', 'General Chat'])('finds the empty topic as %j', (operand) => {
    expect(isFor({ ...channelMessage, topic: '' }, [['topic', operand]])).toBe(true);
    expect(isFor(channelMessage, [['topic', operand]])).toBe(false);
  });

  it('needs a match of all terms', () => {
    const channel = ['channel', 'design'] as const;
    expect(isFor(channelMessage, [channel, ['topic', 'lunch']])).toBe(true);
    expect(isFor(channelMessage, [channel, ['topic', 'dinner']])).toBe(false);
    expect(isFor(channelMessage, [])).toBe(true);
  });
});

describe(readerFlags.name, () => {
  const plain = {
    isRead: false,
    isMentioned: false,
    isWildcardMentioned: false,
    isTopicMentioned: false,
    hasAlertWord: false,
  };

  it('lists only recipients with flags', () => {
    const flags = readerFlags([
      { ...plain, userIds: [4] },
      { ...plain, isRead: true, userIds: [1, 2] },
      { ...plain, isMentioned: true, isWildcardMentioned: true, userIds: [3] },
      { ...plain, hasAlertWord: true, userIds: [5] },
      { ...plain, isWildcardMentioned: true, isTopicMentioned: true, userIds: [6] },
    ]);
    expect(flags).toEqual([
      { flags: ['read'], userIds: [1, 2] },
      { flags: ['mentioned', 'stream_wildcard_mentioned', 'wildcard_mentioned'], userIds: [3] },
      { flags: ['has_alert_word'], userIds: [5] },
      { flags: ['topic_wildcard_mentioned', 'wildcard_mentioned'], userIds: [6] },
    ]);
  });
});
