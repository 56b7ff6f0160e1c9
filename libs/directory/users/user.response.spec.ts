import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import type { Caller } from '#platform/contracts';
import type { User } from './user.repository.js';
import { toUserResponse, visibleDeliveryEmail } from './user.response.js';

const caller: Caller = {
  userId: 1,
  deliveryEmail: 'caller@chat.test',
  role: roles.member,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 0,
  keyGeneration: 1,
  realm: { id: 1, subdomain: '', isPresenceDisabled: false },
};

const person: User = {
  id: 7,
  realmId: 1,
  fullName: 'Alice',
  email: 'alice@chat.test',
  deliveryEmail: 'alice@chat.test',
  role: roles.member,
  isBot: false,
  botOwnerId: null,
  isSystemBot: false,
  isActive: true,
  isPresenceEnabled: false,
  timezone: 'Europe/Berlin',
  dateJoined: new Date('2026-01-05T09:00:59.999Z'),
};

const answer = (
  user: Partial<User>,
  options: Parameters<typeof toUserResponse>[2] = { clientGravatar: true },
) => toUserResponse(caller, { ...person, ...user }, options);

describe(toUserResponse.name, () => {
  it('returns all members of a person', () => {
    expect(answer({})).toEqual({
      user_id: 7,
      email: 'alice@chat.test',
      delivery_email: 'alice@chat.test',
      full_name: 'Alice',
      role: 400,
      is_admin: false,
      is_owner: false,
      is_guest: false,
      is_active: true,
      is_bot: false,
      timezone: 'Europe/Berlin',
      date_joined: '2026-01-05T09:00+00:00',
      avatar_version: 1,
      avatar_url: null,
      is_imported_stub: false,
    });
  });

  it.each([
    [roles.owner, { is_owner: true, is_admin: true, is_guest: false }],
    [roles.administrator, { is_owner: false, is_admin: true, is_guest: false }],
    [roles.moderator, { is_owner: false, is_admin: false, is_guest: false }],
    [roles.guest, { is_owner: false, is_admin: false, is_guest: true }],
  ])('sets the flags of role %i', (role, flags) => {
    expect(answer({ role })).toMatchObject({ role, ...flags });
  });

  it('returns the owner of a bot and no profile data', () => {
    const bot = answer(
      { isBot: true, botOwnerId: 3 },
      { clientGravatar: true, profileData: new Map([[7, { 1: { value: 'x' } }]]) },
    );
    expect(bot).toMatchObject({ is_bot: true, bot_type: 1, bot_owner_id: 3 });
    expect(bot).not.toHaveProperty('profile_data');
    expect(bot).not.toHaveProperty('is_system_bot');
  });

  it('returns the profile data of a person if requested', () => {
    const profileData = new Map([[7, { 1: { value: 'x' } }]]);
    expect(answer({}, { clientGravatar: true, profileData })).toMatchObject({
      profile_data: { 1: { value: 'x' } },
    });
    expect(answer({ id: 8 }, { clientGravatar: true, profileData })).toMatchObject({
      profile_data: {},
    });
  });

  it('has the address of the picture for clients that do not compute it', () => {
    expect(answer({}, { clientGravatar: false }).avatar_url).toBe('/avatar/7?version=1');
  });

  it('marks system bots', () => {
    expect(answer({ isBot: true, isSystemBot: true })).toMatchObject({ is_system_bot: true });
  });
});

const hidden = { id: 1, email: 'user1@chat.test', deliveryEmail: 'alice@work.test' };

describe(visibleDeliveryEmail.name, () => {
  it.each([
    ['a member', { userId: 2, role: roles.member }, null],
    ['a moderator', { userId: 2, role: roles.moderator }, null],
    ['an administrator', { userId: 2, role: roles.administrator }, 'alice@work.test'],
    ['an owner', { userId: 2, role: roles.owner }, 'alice@work.test'],
    ['the account itself', { userId: 1, role: roles.guest }, 'alice@work.test'],
  ])('for %s, of an account with another visible address', (_case, viewer, expected) => {
    expect(visibleDeliveryEmail(viewer, hidden)).toBe(expected);
  });

  it('is visible to everyone if it equals the visible address', () => {
    const open = { ...hidden, email: hidden.deliveryEmail };
    expect(visibleDeliveryEmail({ userId: 2, role: roles.guest }, open)).toBe('alice@work.test');
  });
});
