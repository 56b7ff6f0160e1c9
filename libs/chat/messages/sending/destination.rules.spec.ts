import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { ApiError } from '#platform/contracts';
import fc from 'fast-check';
import {
  MAX_RECIPIENTS,
  maySendTo,
  parseChannel,
  parseRecipients,
  topicFor,
} from './destination.rules.js';

describe(parseChannel.name, () => {
  it.each([
    ['5', { id: 5 }],
    ['[5]', { id: 5 }],
    ['"5"', { name: '5' }],
    ['general', { name: 'general' }],
    ['"general"', { name: 'general' }],
    ['["general"]', { name: 'general' }],
    [' general ', { name: 'general' }],
    ['[design', { name: '[design' }],
    ['', { name: '' }],
  ])('parses %j', (given, expected) => {
    expect(parseChannel(given)).toEqual(expected);
  });

  it.each(['null', 'true', '{}', '[]', '[1,2]', '[[1]]', '1.5', '1e400', '9007199254740993'])(
    'rejects %s',
    (given) => {
      expect(() => parseChannel(given)).toThrow('A channel must be given by its ID or by its name');
    },
  );
});

describe(parseRecipients.name, () => {
  it.each([
    ['[1,2]', { ids: [1, 2] }],
    ['[2,1,2]', { ids: [2, 1] }],
    ['3', { ids: [3] }],
    ['["a@b","c@d"]', { emails: ['a@b', 'c@d'] }],
    ['[" a@b "]', { emails: ['a@b'] }],
    ['"a@b"', { emails: ['a@b'] }],
    ['a@b', { emails: ['a@b'] }],
    ['a@b, c@d,', { emails: ['a@b', 'c@d'] }],
  ])('parses %s', (given, expected) => {
    expect(parseRecipients(given)).toEqual(expected);
  });

  it.each([
    ['[]', 'Message must have recipients'],
    ['', 'Message must have recipients'],
    ['""', 'Message must have recipients'],
    [',', 'Message must have recipients'],
    ['[1,"a@b"]', 'Recipients must be either user IDs or email addresses, not both'],
    ['[1,null]', 'Recipients must be a list of user IDs or a list of email addresses'],
    ['{"id":1}', 'Recipients must be a list of user IDs or a list of email addresses'],
    ['null', 'Recipients must be a list of user IDs or a list of email addresses'],
    ['true', 'Recipients must be a list of user IDs or a list of email addresses'],
    ['[[1],[2]]', 'Recipients must be a list of user IDs or a list of email addresses'],
    ['[1.5]', 'Recipients must be a list of user IDs or a list of email addresses'],
  ])('rejects %s', (given, message) => {
    expect(() => parseRecipients(given)).toThrow(message);
  });

  it('accepts up to 1000 distinct recipients', () => {
    const ids = Array.from({ length: MAX_RECIPIENTS }, (_, index) => index + 1);
    expect(parseRecipients(JSON.stringify([...ids, ...ids]))).toEqual({ ids });
    expect(() => parseRecipients(JSON.stringify([...ids, 0]))).toThrow(
      'Too many recipients (limit: 1000)',
    );
  });

  it('removes duplicates from any list of ids', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 50 }), (ids) => {
        expect(parseRecipients(JSON.stringify(ids))).toEqual({ ids: [...new Set(ids)] });
      }),
    );
  });
});

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
const inGroup = { ...member, groups: new Set([EVERYONE, FEW]) };

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
    ['a member who may subscribe', { isPrivate: true, canSubscribeId: FEW }, inGroup, true],
    [
      'a member who may add subscribers',
      { isPrivate: true, canAddSubscribersId: FEW },
      inGroup,
      true,
    ],
    [
      'a member who may administer',
      { isPrivate: true, canAdministerChannelId: FEW },
      inGroup,
      false,
    ],
    ['a subscriber who cannot send', { canSendMessageId: FEW }, subscriber, false],
    ['a member who may send', { canSendMessageId: FEW }, inGroup, true],
    ['a subscriber to an archived channel', { archivedAt: new Date(0) }, subscriber, false],
  ])('decides for %s', (_what, traits, viewer, expected) => {
    expect(maySendTo({ ...channel, ...traits }, viewer)).toBe(expected);
  });
});

describe(topicFor.name, () => {
  it.each([
    ['allow_empty_topic', undefined, ''],
    ['allow_empty_topic', 'general chat', ''],
    ['allow_empty_topic', '(no topic)', ''],
    ['allow_empty_topic', 'lunch', 'lunch'],
    ['disable_empty_topic', 'lunch', 'lunch'],
    ['empty_topic_only', undefined, ''],
    ['empty_topic_only', '', ''],
    ['empty_topic_only', 'general chat', ''],
  ] as const)('maps the topic under the policy %s: %j to %j', (policy, given, expected) => {
    expect(topicFor(policy, given)).toBe(expected);
  });

  it.each([
    ['disable_empty_topic', undefined, "Missing 'topic' argument"],
    ['disable_empty_topic', '', 'Sending messages to the general chat is not allowed'],
    ['disable_empty_topic', '(no topic)', 'Sending messages to the general chat is not allowed'],
    ['empty_topic_only', 'lunch', 'Only the general chat topic is allowed in this channel.'],
  ] as const)('rejects under the policy %s the topic %j', (policy, given, message) => {
    const sut = () => topicFor(policy, given);
    expect(sut).toThrow(ApiError);
    expect(sut).toThrow(message);
  });
});
