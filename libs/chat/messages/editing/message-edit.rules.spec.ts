import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { ApiError, type Caller } from '#platform/contracts';
import type { LockedMessage } from '../changing/locked-message.repository.js';
import {
  changeOf,
  checkContentEdit,
  checkTopic,
  type EditInput,
  moveLimit,
  resolutionOf,
} from './message-edit.rules.js';
import { noticesOf } from './move-notices.rules.js';

const message: LockedMessage = {
  id: 1,
  senderId: 5,
  senderOwnerId: null,
  channelId: 3,
  conversationId: null,
  channelName: 'general',
  topic: 'lunch',
  content: 'Hello',
  rendered: null,
  sentAt: new Date(0),
  isArchived: false,
  isReadable: true,
  hasRow: true,
  mayDeleteAny: false,
  hasWidget: false,
};
const nothing: EditInput = {
  content: undefined,
  topic: undefined,
  channelId: undefined,
  mode: 'change_one',
  prevContentSha256: undefined,
  notifiesOldThread: false,
  notifiesNewThread: true,
};
// The rules read no other member of a caller.
const callerWith = (role: number, userId = 5) => ({ userId, role }) as Caller;

describe(changeOf.name, () => {
  it.each([
    [{ content: 'x' }, { content: 'x', move: null }],
    [{ content: ' ' }, { content: '(deleted)', move: null }],
    [
      { content: 'x', topic: 'lunch' },
      { content: 'x', move: null },
    ],
    [
      { topic: '(no topic)' },
      { content: null, move: { topic: '', channelId: null, mode: 'change_one' } },
    ],
    [
      { topic: 'lunch', channelId: 4 },
      { content: null, move: { topic: null, channelId: 4, mode: 'change_one' } },
    ],
    [
      { topic: 'Lunch', channelId: 3, mode: 'change_all' },
      { content: null, move: { topic: 'Lunch', channelId: null, mode: 'change_all' } },
    ],
  ] as const)('finds what %j changes', (input, expected) => {
    expect(changeOf(message, { ...nothing, ...input })).toEqual(expected);
  });

  it.each([
    [{}, 'Nothing to change'],
    [{ topic: 'lunch' }, 'Nothing to change'],
    [{ channelId: 3 }, 'Nothing to change'],
    [{ content: 'x', mode: 'change_later' }, 'Invalid propagate_mode without topic edit'],
    [{ content: 'x', channelId: 4 }, 'Cannot change message content while changing channel'],
    [{ topic: '✔' }, 'General chat cannot be marked as resolved'],
    [{ topic: '✔ general chat' }, 'General chat cannot be marked as resolved'],
    [{ topic: '✔ (no topic)' }, 'General chat cannot be marked as resolved'],
  ] as const)('refuses %j', (input, msg) => {
    expect(() => changeOf(message, { ...nothing, ...input })).toThrow(msg);
  });

  it('moves a message with a widget, and refuses a new content', () => {
    const widget = { ...message, hasWidget: true };
    expect(changeOf(widget, { ...nothing, topic: '✔ x' })).toMatchObject({
      move: { topic: '✔ x' },
    });
    expect(() => changeOf(widget, { ...nothing, content: 'x' })).toThrow(
      'Widgets cannot be edited',
    );
  });
});

describe(checkContentEdit.name, () => {
  it('allows the sender to edit the content that the client has seen', () => {
    const prevContentSha256 = createHash('sha256').update('Hello').digest('hex');
    const check = (userId: number, digest?: string) =>
      checkContentEdit(callerWith(roles.owner, userId), message, {
        ...nothing,
        prevContentSha256: digest,
      });
    expect(() => check(5)).not.toThrow();
    expect(() => check(5, prevContentSha256)).not.toThrow();
    expect(() => check(5, 'other')).toThrow('prev_content_sha256');
    expect(() => check(6)).toThrow("You don't have permission to edit this message");
  });
});

describe(resolutionOf.name, () => {
  it.each([
    ['lunch', { topic: '✔ lunch', channelId: null }, 'resolved'],
    ['✔ lunch', { topic: 'lunch', channelId: null }, 'unresolved'],
    ['lunch', { topic: '✔ dinner', channelId: null }, null],
    ['lunch', { topic: '✔ lunch', channelId: 4 }, null],
    ['lunch', { topic: null, channelId: 4 }, null],
    ['😀'.repeat(60), { topic: `✔ ${'😀'.repeat(55)}...`, channelId: null }, 'resolved'],
    ['a'.repeat(60), { topic: `✔ ${'a'.repeat(54)}...`, channelId: null }, null],
    [`✔ ${'a'.repeat(55)}...`, { topic: `${'a'.repeat(55)}...`, channelId: null }, 'unresolved'],
  ])('finds for the topic %j and %j: %s', (topic, move, expected) => {
    expect(resolutionOf({ topic }, { ...move, mode: 'change_all' })).toBe(expected);
  });
});

describe(moveLimit.name, () => {
  const now = new Date('2026-01-08T00:00:00Z');
  const move = { topic: 'x', channelId: null, mode: 'change_one' } as const;

  it.each([
    ['a week for members', roles.member, move, new Date('2026-01-01T00:00:00Z')],
    ['none for moderators', roles.moderator, move, null],
    ['none to resolve a topic', roles.member, { ...move, topic: '✔ lunch' }, null],
  ])('is %s', (_what, role, given, expected) => {
    expect(moveLimit({ role }, message, given, now)).toEqual(expected);
  });
});

describe(checkTopic.name, () => {
  const move = { topic: null, channelId: 4, mode: 'change_all' } as const;
  const general = { ...message, topic: '' };

  it.each([
    ['a message without a topic', 'disable_empty_topic', general, move],
    ['a message with a topic', 'empty_topic_only', message, move],
    ['a new topic', 'empty_topic_only', general, { ...move, topic: 'dinner' }],
  ] as const)('refuses %s under the policy %s', (_what, policy, moved, given) => {
    expect(() => checkTopic(policy, moved, given)).toThrow(ApiError);
  });

  it.each([
    ['a message with a topic', 'disable_empty_topic', message, move],
    ['a message without a topic', 'empty_topic_only', general, move],
    ['a new topic', 'disable_empty_topic', general, { ...move, topic: 'dinner' }],
  ] as const)('allows %s under the policy %s', (_what, policy, moved, given) => {
    expect(() => checkTopic(policy, moved, given)).not.toThrow();
  });
});

describe(noticesOf.name, () => {
  const move = { topic: 'dinner', channelId: 4, mode: 'change_all' } as const;
  const channel = { id: 4, name: 'food', isPrivate: false };
  const shown = { isOldHidden: false, isNewHidden: false };
  const moved = { message, move, count: 3, isWhole: true, channel, ...shown };
  const mover = '@_**Ada|9**';
  const both = { ...nothing, notifiesOldThread: true };

  it('returns notices for both places, for a whole topic and for a part of it', () => {
    expect(noticesOf(moved, mover, both)).toEqual([
      {
        place: { channelId: 4, topic: 'dinner' },
        content: 'This topic was moved here from #**general>lunch** by @_**Ada|9**.',
      },
      {
        place: { channelId: 3, topic: 'lunch' },
        content: 'This topic was moved to #**food>dinner** by @_**Ada|9**.',
      },
    ]);
    const part = noticesOf({ ...moved, isWhole: false }, mover, both);
    expect(part.map(({ content }) => content)).toEqual([
      '3 messages were moved here from #**general>lunch** by @_**Ada|9**.',
      '3 messages were moved from this topic to #**food>dinner** by @_**Ada|9**.',
    ]);
  });

  it('name no channel that some of their readers must not learn', () => {
    const hidden = { ...moved, isOldHidden: true, isNewHidden: true };
    expect(noticesOf(hidden, mover, both).map(({ content }) => content)).toEqual([
      'This topic was moved here from another channel by @_**Ada|9**.',
      'This topic was moved to another channel by @_**Ada|9**.',
    ]);
  });

  it('links a topic with a name that would end the usual link by its path', () => {
    const topic = 'x** @**all**';
    const [arrived, left] = noticesOf(
      { ...moved, message: { ...message, topic }, move: { ...move, topic } },
      mover,
      both,
    );
    const path = 'x**.20.40**all**';
    expect(arrived?.content).toContain(`](/#narrow/channel/3-general/topic/${path}) by`);
    expect(left?.content).toContain(`](/#narrow/channel/4-food/topic/${path}) by`);
  });

  it('returns a notice for a resolved topic, whatever the client asks for', () => {
    const resolved = { ...moved, move: { ...move, channelId: null, topic: '✔ lunch' } };
    const quiet = { ...nothing, notifiesNewThread: false };
    expect(noticesOf(resolved, mover, quiet)).toEqual([
      {
        place: { channelId: 4, topic: '✔ lunch' },
        content: '@_**Ada|9** has marked this topic as resolved.',
        isForFollowers: true,
      },
    ]);
    expect(noticesOf({ ...resolved, isWhole: false }, mover, quiet)).toEqual([]);
  });
});
