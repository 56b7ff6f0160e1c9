import { describe, expect, it } from '@jest/globals';
import { roles } from '#contracts';
import {
  type ChannelViewer,
  type GuardedChannel,
  hasContentAccess,
  hasMetadataAccess,
} from './channel-access.rules.js';

const ADDERS = 1;
const ADMINISTERERS = 2;
const SUBSCRIBERS = 3;

const channel = (traits: Partial<GuardedChannel> = {}): GuardedChannel => ({
  isPrivate: false,
  isWebPublic: false,
  canAddSubscribersId: ADDERS,
  canAdministerChannelId: ADMINISTERERS,
  canSubscribeId: SUBSCRIBERS,
  ...traits,
});
const viewer = (traits: Partial<ChannelViewer> = {}): ChannelViewer => ({
  role: roles.member,
  isSubscribed: false,
  groups: new Set(),
  ...traits,
});
const privateChannel = channel({ isPrivate: true });
const guest = { role: roles.guest };

type Row = [string, GuardedChannel, ChannelViewer, content: boolean, metadata: boolean];

describe('Access to a channel', () => {
  it.each<Row>([
    ['a member, public', channel(), viewer(), true, true],
    ['a guest, public', channel(), viewer(guest), false, false],
    ['a guest, web-public', channel({ isWebPublic: true }), viewer(guest), true, true],
    ['a subscribed guest', privateChannel, viewer({ ...guest, isSubscribed: true }), true, true],
    ['a member, private', privateChannel, viewer(), false, false],
    ['a subscriber, private', privateChannel, viewer({ isSubscribed: true }), true, true],
    ['an administrator', privateChannel, viewer({ role: roles.administrator }), false, true],
    ['an owner, private', privateChannel, viewer({ role: roles.owner }), false, true],
    ['a moderator, private', privateChannel, viewer({ role: roles.moderator }), false, false],
    ['who may add people', privateChannel, viewer({ groups: new Set([ADDERS]) }), true, true],
    ['who may join', privateChannel, viewer({ groups: new Set([SUBSCRIBERS]) }), true, true],
    ['who administers', privateChannel, viewer({ groups: new Set([ADMINISTERERS]) }), false, true],
    [
      'a guest of every group',
      privateChannel,
      viewer({ ...guest, groups: new Set([ADDERS, ADMINISTERERS, SUBSCRIBERS]) }),
      false,
      false,
    ],
  ])('of %s', (_who, sut, who, content, metadata) => {
    expect(hasContentAccess(sut, who)).toBe(content);
    expect(hasMetadataAccess(sut, who)).toBe(metadata);
  });
});
