import { describe, expect, it } from '@jest/globals';
import { type Caller, roles } from '#contracts';
import type { User } from '#users';
import { userAnswer } from './user.answer.js';

const caller: Caller = {
  userId: 1,
  deliveryEmail: 'caller@chat.test',
  role: roles.member,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 0,
  keyGeneration: 1,
  realm: { id: 1, subdomain: '', name: 'Test', isPresenceDisabled: false },
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
  wanted: Parameters<typeof userAnswer>[2] = { clientGravatar: true },
) => userAnswer(caller, { ...person, ...user }, wanted);

describe(userAnswer.name, () => {
  it('tells everything of a person but whether they share presence', () => {
    expect(answer({})).toEqual({
      user_id: 7,
      email: 'alice@chat.test',
      delivery_email: 'alice@chat.test',
      full_name: 'Alice',
      role: 400,
      is_admin: false,
      is_owner: false,
      is_guest: false,
      is_billing_admin: false,
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
  ])('tells what the role %i is', (role, flags) => {
    expect(answer({ role })).toMatchObject({ role, ...flags });
  });

  it('tells the owner of a bot, and nothing that a bot would have filled in', () => {
    const bot = answer(
      { isBot: true, botOwnerId: 3 },
      { clientGravatar: true, profileData: new Map([[7, { 1: { value: 'x' } }]]) },
    );
    expect(bot).toMatchObject({ is_bot: true, bot_type: 1, bot_owner_id: 3 });
    expect(bot).not.toHaveProperty('profile_data');
    expect(bot).not.toHaveProperty('is_system_bot');
  });

  it('tells what a person has filled in, where it is asked for', () => {
    const profileData = new Map([[7, { 1: { value: 'x' } }]]);
    expect(answer({}, { clientGravatar: true, profileData })).toMatchObject({
      profile_data: { 1: { value: 'x' } },
    });
    expect(answer({ id: 8 }, { clientGravatar: true, profileData })).toMatchObject({
      profile_data: {},
    });
  });

  it('names the picture by the address that all see, whatever its case', () => {
    const wanted = { clientGravatar: false };
    const { avatar_url: url } = answer(
      { email: 'Alice@Chat.test', deliveryEmail: 'x@y.test' },
      wanted,
    );
    expect(url).toMatch(
      /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{64}\?d=identicon&version=1$/,
    );
    expect(url).toBe(answer({}, wanted).avatar_url);
    expect(answer({ email: 'other@chat.test' }, wanted).avatar_url).not.toBe(url);
  });

  it('marks the bots of the server', () => {
    expect(answer({ isBot: true, isSystemBot: true })).toMatchObject({ is_system_bot: true });
  });
});
