import { describe, expect, it } from '@jest/globals';
import { PayloadMemo, type SharedPart } from './payload-memo.js';

const push: SharedPart = {
  notificationId: 'a',
  recipient: { userId: 7, realmId: 3, realmName: 'n', realmUrl: 'u', server: 's' },
  content: { kind: 'test', time: 1 },
};

describe(PayloadMemo.name, () => {
  const counting = () => {
    let made = 0;
    return new PayloadMemo(() => (made += 1));
  };

  it('builds one payload for the devices of a notification', () => {
    const sut = counting();
    expect([sut.of(push), sut.of({ ...push, recipient: { ...push.recipient } })]).toEqual([1, 1]);
  });

  it.each([
    ['another notification', { ...push, notificationId: 'b' }],
    ['another recipient', { ...push, recipient: { ...push.recipient, userId: 8 } }],
    ['other content', { ...push, content: { ...push.content } }],
  ])('builds another one for %s', (_what, other) => {
    const sut = counting();
    expect([sut.of(push), sut.of(other)]).toEqual([1, 2]);
  });
});
