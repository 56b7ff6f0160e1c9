import { describe, expect, it } from '@jest/globals';
import { roles } from '#contracts';
import { visibleDeliveryEmail } from './visible-email.rules.js';

const hidden = { id: 1, email: 'user1@chat.test', deliveryEmail: 'alice@work.test' };

describe(visibleDeliveryEmail.name, () => {
  it.each([
    ['a member', { userId: 2, role: roles.member }, null],
    ['a moderator', { userId: 2, role: roles.moderator }, null],
    ['an administrator', { userId: 2, role: roles.administrator }, 'alice@work.test'],
    ['an owner', { userId: 2, role: roles.owner }, 'alice@work.test'],
    ['the account itself', { userId: 1, role: roles.guest }, 'alice@work.test'],
  ])('of an account with another visible address, to %s', (_, caller, expected) => {
    expect(visibleDeliveryEmail(caller, hidden)).toBe(expected);
  });

  it('is told everybody where it is the visible one', () => {
    const open = { ...hidden, email: hidden.deliveryEmail };
    expect(visibleDeliveryEmail({ userId: 2, role: roles.guest }, open)).toBe('alice@work.test');
  });
});
