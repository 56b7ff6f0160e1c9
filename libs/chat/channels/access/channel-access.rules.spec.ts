import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import fc from 'fast-check';
import {
  type ChannelSources,
  type ChannelViewer,
  type GuardedChannel,
  hasContentAccess,
  hasMetadataAccess,
  isDefaultChannel,
  isSelected,
  type ListableChannel,
} from './channel-access.rules.js';

const ADDERS = 1;
const ADMINISTRATORS = 2;
const SUBSCRIBERS = 3;

const channel = (traits: Partial<GuardedChannel> = {}): GuardedChannel => ({
  isPrivate: false,
  isWebPublic: false,
  canAddSubscribersId: ADDERS,
  canAdministerChannelId: ADMINISTRATORS,
  canSubscribeId: SUBSCRIBERS,
  ...traits,
});
const viewerWith = (traits: Partial<ChannelViewer> = {}): ChannelViewer => ({
  role: roles.member,
  isSubscribed: false,
  groups: new Set(),
  ...traits,
});
const privateChannel = channel({ isPrivate: true });
const asGuest = { role: roles.guest };

type AccessRow = [string, GuardedChannel, ChannelViewer, content: boolean, metadata: boolean];

describe(`${hasContentAccess.name} and ${hasMetadataAccess.name}`, () => {
  it.each<AccessRow>([
    ['a member, public', channel(), viewerWith(), true, true],
    ['a guest, public', channel(), viewerWith(asGuest), false, false],
    ['a guest, web-public', channel({ isWebPublic: true }), viewerWith(asGuest), true, true],
    [
      'a subscribed guest',
      privateChannel,
      viewerWith({ ...asGuest, isSubscribed: true }),
      true,
      true,
    ],
    ['a member, private', privateChannel, viewerWith(), false, false],
    ['a subscriber, private', privateChannel, viewerWith({ isSubscribed: true }), true, true],
    ['an administrator', privateChannel, viewerWith({ role: roles.administrator }), false, true],
    ['an owner, private', privateChannel, viewerWith({ role: roles.owner }), false, true],
    ['a moderator, private', privateChannel, viewerWith({ role: roles.moderator }), false, false],
    [
      'an account that may add subscribers',
      privateChannel,
      viewerWith({ groups: new Set([ADDERS]) }),
      true,
      true,
    ],
    [
      'an account that may subscribe itself',
      privateChannel,
      viewerWith({ groups: new Set([SUBSCRIBERS]) }),
      true,
      true,
    ],
    [
      'an account that administers the channel',
      privateChannel,
      viewerWith({ groups: new Set([ADMINISTRATORS]) }),
      false,
      true,
    ],
    [
      'a guest of every group',
      privateChannel,
      viewerWith({ ...asGuest, groups: new Set([ADDERS, ADMINISTRATORS, SUBSCRIBERS]) }),
      false,
      false,
    ],
  ])('decide for %s', (_viewer, sut, given, content, metadata) => {
    expect(hasContentAccess(sut, given)).toBe(content);
    expect(hasMetadataAccess(sut, given)).toBe(metadata);
  });
});

const listable = (traits: Partial<ListableChannel> = {}): ListableChannel => ({
  isPrivate: false,
  isWebPublic: false,
  isDefault: false,
  archivedAt: null,
  isSubscribed: false,
  isOwnerSubscribed: false,
  canAddSubscribersId: ADDERS,
  canAdministerChannelId: ADMINISTRATORS,
  canSubscribeId: SUBSCRIBERS,
  ...traits,
});
const none: ChannelSources = {
  public: false,
  webPublic: false,
  subscribed: false,
  ownerSubscribed: false,
  default: false,
  contentAccess: false,
  metadataAccess: false,
};

const publicChannel = listable();
const webPublic = listable({ isWebPublic: true });
const unsubscribed = listable({ isPrivate: true });
const subscribed = listable({ isPrivate: true, isSubscribed: true });
const ownerSubscribed = listable({ isPrivate: true, isOwnerSubscribed: true });
const defaultChannel = listable({ isDefault: true });
const archivedDefault = listable({ isDefault: true, archivedAt: new Date(0) });

type Viewer = Omit<ChannelViewer, 'isSubscribed'>;

const member: Viewer = { role: roles.member, groups: new Set() };
const permitted: Viewer = { role: roles.member, groups: new Set([SUBSCRIBERS]) };
const administrator: Viewer = { role: roles.administrator, groups: new Set() };
const guest: Viewer = { role: roles.guest, groups: new Set() };

type SelectionRow = [keyof ChannelSources, string, ListableChannel, Viewer, boolean];

describe(isSelected.name, () => {
  it.each<SelectionRow>([
    ['public', 'a public channel', publicChannel, member, true],
    ['public', 'a web-public channel, which is also public', webPublic, member, true],
    ['public', 'a subscribed private channel', subscribed, member, false],
    ['public', 'a public channel for a guest', publicChannel, guest, false],
    ['public', 'a web-public channel for a guest', webPublic, guest, false],
    ['webPublic', 'a web-public channel', webPublic, member, true],
    ['webPublic', 'a web-public channel for a guest', webPublic, guest, true],
    ['webPublic', 'a public channel', publicChannel, member, false],
    ['subscribed', 'a subscribed channel', subscribed, guest, true],
    ['subscribed', 'a channel without a subscription', publicChannel, member, false],
    ['ownerSubscribed', 'a channel that the owner is subscribed to', ownerSubscribed, member, true],
    ['ownerSubscribed', 'a channel that only the bot is subscribed to', subscribed, member, false],
    ['default', 'a default channel', defaultChannel, member, true],
    ['default', 'a default channel that a guest cannot see', defaultChannel, guest, false],
    ['default', 'another channel', publicChannel, member, false],
    ['default', 'an archived default channel', archivedDefault, member, false],
    ['contentAccess', 'a public channel', publicChannel, member, true],
    ['contentAccess', 'a private channel', unsubscribed, member, false],
    [
      'contentAccess',
      'a private channel that the caller may subscribe to',
      unsubscribed,
      permitted,
      true,
    ],
    ['contentAccess', 'a private channel for an administrator', unsubscribed, administrator, false],
    ['metadataAccess', 'a private channel', unsubscribed, member, false],
    ['metadataAccess', 'a private channel for an administrator', unsubscribed, administrator, true],
    ['metadataAccess', 'a public channel for a guest', publicChannel, guest, false],
    ['metadataAccess', 'a channel that a guest is subscribed to', subscribed, guest, true],
  ])('selects for the source %s: %s', (source, _what, sut, viewer, expected) => {
    expect(isSelected(sut, { ...none, [source]: true }, viewer)).toBe(expected);
  });

  const channels = fc.record<ListableChannel>({
    isPrivate: fc.boolean(),
    isWebPublic: fc.boolean(),
    isDefault: fc.boolean(),
    archivedAt: fc.constantFrom(null, new Date(0)),
    isSubscribed: fc.boolean(),
    isOwnerSubscribed: fc.constant(false),
    canAddSubscribersId: fc.integer({ min: 1, max: 4 }),
    canAdministerChannelId: fc.integer({ min: 1, max: 4 }),
    canSubscribeId: fc.integer({ min: 1, max: 4 }),
  });
  const viewers = fc.record({
    role: fc.constantFrom(...Object.values(roles)),
    groups: fc.uniqueArray(fc.integer({ min: 1, max: 4 })).map((ids) => new Set(ids)),
  });
  const all = fc.record<ChannelSources>({
    public: fc.boolean(),
    webPublic: fc.boolean(),
    subscribed: fc.boolean(),
    ownerSubscribed: fc.boolean(),
    default: fc.boolean(),
    contentAccess: fc.boolean(),
    metadataAccess: fc.boolean(),
  });

  it('never selects a channel that the caller may not see', () => {
    fc.assert(
      fc.property(channels, all, viewers, (sut, sources, viewer) => {
        const channelViewer = { ...viewer, isSubscribed: sut.isSubscribed };
        const isHidden = !hasMetadataAccess(sut, channelViewer);
        expect(isSelected(sut, sources, viewer) && isHidden).toBe(false);
      }),
    );
  });

  it('selects nothing without a source', () => {
    fc.assert(
      fc.property(channels, viewers, (sut, viewer) => {
        expect(isSelected(sut, none, viewer)).toBe(false);
      }),
    );
  });
});

describe(isDefaultChannel.name, () => {
  it.each([
    ['a default channel', defaultChannel, true],
    ['an archived default channel', archivedDefault, false],
    ['any other channel', publicChannel, false],
  ])('decides for %s', (_what, sut, expected) => {
    expect(isDefaultChannel(sut)).toBe(expected);
  });
});
