import { describe, expect, it } from '@jest/globals';
import { roles } from '#contracts';
import fc from 'fast-check';
import { type ChannelViewer, hasMetadataAccess } from './channel-access.rules.js';
import {
  type ChannelSources,
  isDefaultChannel,
  isSelected,
  type ListableChannel,
} from './channel-selection.rules.js';

const JOINERS = 7;

const channel = (traits: Partial<ListableChannel> = {}): ListableChannel => ({
  isPrivate: false,
  isWebPublic: false,
  isDefault: false,
  archivedAt: null,
  isSubscribed: false,
  isOwnerSubscribed: false,
  canAddSubscribersId: 1,
  canAdministerChannelId: 2,
  canSubscribeId: JOINERS,
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

const open = channel();
const web = channel({ isWebPublic: true });
const closed = channel({ isPrivate: true });
const joined = channel({ isPrivate: true, isSubscribed: true });
const owners = channel({ isPrivate: true, isOwnerSubscribed: true });
const welcome = channel({ isDefault: true });
const former = channel({ isDefault: true, archivedAt: new Date(0) });

type Viewer = Omit<ChannelViewer, 'isSubscribed'>;

const member: Viewer = { role: roles.member, groups: new Set() };
const joiner: Viewer = { role: roles.member, groups: new Set([JOINERS]) };
const administrator: Viewer = { role: roles.administrator, groups: new Set() };
const guest: Viewer = { role: roles.guest, groups: new Set() };

type Row = [keyof ChannelSources, string, ListableChannel, Viewer, boolean];

describe(isSelected.name, () => {
  it.each<Row>([
    ['public', 'a public channel', open, member, true],
    ['public', 'a web-public channel, which is public too', web, member, true],
    ['public', 'a private channel that one is in', joined, member, false],
    ['public', 'a public channel for a guest', open, guest, false],
    ['public', 'a web-public channel for a guest', web, guest, false],
    ['webPublic', 'a web-public channel', web, member, true],
    ['webPublic', 'a web-public channel for a guest', web, guest, true],
    ['webPublic', 'a public channel', open, member, false],
    ['subscribed', 'a channel that one is in', joined, guest, true],
    ['subscribed', 'a channel that one is not in', open, member, false],
    ['ownerSubscribed', 'a channel that the owner is in', owners, member, true],
    ['ownerSubscribed', 'a channel that the bot is in', joined, member, false],
    ['default', 'a default channel', welcome, member, true],
    ['default', 'a default channel that a guest may not see', welcome, guest, false],
    ['default', 'a channel that is none', open, member, false],
    ['default', 'an archived channel that was one', former, member, false],
    ['contentAccess', 'a public channel', open, member, true],
    ['contentAccess', 'a private channel', closed, member, false],
    ['contentAccess', 'a private channel one may join', closed, joiner, true],
    ['contentAccess', 'a private channel for an administrator', closed, administrator, false],
    ['metadataAccess', 'a private channel', closed, member, false],
    ['metadataAccess', 'a private channel for an administrator', closed, administrator, true],
    ['metadataAccess', 'a public channel for a guest', open, guest, false],
    ['metadataAccess', 'a channel that a guest is in', joined, guest, true],
  ])('by %s: %s', (source, _what, sut, viewer, expected) => {
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

  it('never lists what the caller may not know of, however it is asked', () => {
    fc.assert(
      fc.property(channels, all, viewers, (sut, sources, viewer) => {
        const who = { ...viewer, isSubscribed: sut.isSubscribed };
        expect(isSelected(sut, sources, viewer) && !hasMetadataAccess(sut, who)).toBe(false);
      }),
    );
  });

  it('lists nothing without a source', () => {
    fc.assert(
      fc.property(channels, viewers, (sut, viewer) => {
        expect(isSelected(sut, none, viewer)).toBe(false);
      }),
    );
  });
});

describe(isDefaultChannel.name, () => {
  it.each([
    ['a default channel', welcome, true],
    ['one that was archived', former, false],
    ['any other', open, false],
  ])('of %s', (_what, sut, expected) => {
    expect(isDefaultChannel(sut)).toBe(expected);
  });
});
