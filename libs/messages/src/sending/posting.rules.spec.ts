import { describe, expect, it } from '@jest/globals';
import { ApiError, roles } from '#contracts';
import { maySendTo, topicFor } from './posting.rules.js';

const EVERYONE = 1;
const NOBODY = 2;
const FEW = 3;

const channel = {
  isPrivate: false,
  isWebPublic: false,
  archivedAt: null,
  canAddSubscribersId: NOBODY,
  canAdministerChannelId: NOBODY,
  canSubscribeId: NOBODY,
  canSendMessageId: EVERYONE,
};
const member = { role: roles.member, isSubscribed: false, groups: new Set([EVERYONE]) };
const subscriber = { ...member, isSubscribed: true };
const guest = { ...member, role: roles.guest };
const admin = { ...member, role: roles.administrator };
const chosen = { ...member, groups: new Set([EVERYONE, FEW]) };

describe(maySendTo.name, () => {
  it.each([
    ['a member to a public channel', {}, member, true],
    ['a guest to a public channel', {}, guest, false],
    ['a subscribed guest', {}, { ...guest, isSubscribed: true }, true],
    ['a guest to a web-public channel', { isWebPublic: true }, guest, false],
    ['a member to a web-public channel', { isWebPublic: true }, member, true],
    ['a member to a private channel', { isPrivate: true }, member, false],
    ['a subscriber to a private channel', { isPrivate: true }, subscriber, true],
    ['an administrator to a private channel', { isPrivate: true }, admin, false],
    ['who may subscribe', { isPrivate: true, canSubscribeId: FEW }, chosen, true],
    ['who may add subscribers', { isPrivate: true, canAddSubscribersId: FEW }, chosen, true],
    ['who may administer', { isPrivate: true, canAdministerChannelId: FEW }, chosen, false],
    ['who may not send', { canSendMessageId: FEW }, subscriber, false],
    ['who may send', { canSendMessageId: FEW }, chosen, true],
    ['a subscriber to an archived channel', { archivedAt: new Date(0) }, subscriber, false],
  ])('%s', (_what, traits, viewer, expected) => {
    expect(maySendTo({ ...channel, ...traits }, viewer)).toBe(expected);
  });
});

describe(topicFor.name, () => {
  it.each([
    ['inherit', '', ''],
    ['inherit', 'lunch', 'lunch'],
    ['allow_empty_topic', undefined, ''],
    ['allow_empty_topic', 'lunch', 'lunch'],
    ['disable_empty_topic', 'lunch', 'lunch'],
    ['empty_topic_only', undefined, ''],
    ['empty_topic_only', '', ''],
  ])('under %s takes %j as %j', (topicsPolicy, given, expected) => {
    expect(topicFor({ name: 'x', topicsPolicy }, given)).toBe(expected);
  });

  it.each([
    ['inherit', undefined, "Missing 'topic' argument"],
    ['disable_empty_topic', undefined, "Missing 'topic' argument"],
    ['disable_empty_topic', '', "Channel 'x' requires a topic"],
    ['empty_topic_only', 'lunch', "Channel 'x' does not allow topics"],
  ])('under %s refuses %j', (topicsPolicy, given, message) => {
    const sut = () => topicFor({ name: 'x', topicsPolicy }, given);
    expect(sut).toThrow(ApiError);
    expect(sut).toThrow(message);
  });
});
