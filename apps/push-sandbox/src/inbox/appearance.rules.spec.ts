import { describe, expect, it } from '@jest/globals';
import { appearanceOf } from './appearance.rules.js';

const onApple = (payload: unknown, headers = {}) =>
  appearanceOf({ platform: 'apns', headers, payload, decrypted: null });
const onAndroid = (data: unknown) =>
  appearanceOf({
    platform: 'fcm',
    headers: {},
    payload: { message: { token: 't', data } },
    decrypted: null,
  });
const decrypted = (content: unknown) =>
  appearanceOf({ platform: 'fcm', headers: {}, payload: {}, decrypted: content });

describe(appearanceOf.name, () => {
  it('shows the alert on an iPhone', () => {
    const alert = { title: '#general > lunch', subtitle: 'Bob:', body: 'At noon?' };
    const app = { event: 'message', message_ids: [7], realm_url: 'https://chat', user_id: 5 };
    const payload = { aps: { alert }, app };
    expect(onApple(payload, { 'apns-collapse-id': 'c' })).toEqual({
      kind: 'alert',
      ...alert,
      messageIds: ['7'],
      closes: [],
      account: 'https://chat/#user/5',
      note: '',
      collapseKey: 'c',
    });
  });

  it('shows a plain text alert on an iPhone', () => {
    expect(onApple({ aps: { alert: 'Hello' } })).toMatchObject({ kind: 'alert', body: 'Hello' });
  });

  it.each([
    ['nothing at all', null],
    ['a text', 'broken'],
    ['a badge only', { aps: { badge: 0 } }],
  ])('shows nothing on an iPhone for %s', (_case, payload) => {
    expect(onApple(payload).kind).toBe('silent');
  });

  it('removes messages that were read elsewhere', () => {
    const removal = { kind: 'removal', title: 'Clears 2 messages', messageIds: ['1', '2'] };
    expect(onApple({ aps: {}, app: { event: 'remove', message_ids: '1,2' } })).toMatchObject(
      removal,
    );
    expect(onAndroid({ event: 'remove', message_ids: '1,2' })).toMatchObject(removal);
  });

  it('shows on Android what the app derives from the data', () => {
    expect(onAndroid({ event: 'test' }).title).toBe('Test notification');
    const message = { event: 'message', sender_full_name: 'Bob', content: 'Hi', message_id: '3' };
    expect(onAndroid({ ...message, stream: 'general', topic: 'lunch' })).toMatchObject({
      title: '#general > lunch',
      subtitle: 'Bob',
      body: 'Hi',
      messageIds: ['3'],
    });
    expect(onAndroid(message)).toMatchObject({ title: 'Bob', subtitle: '' });
    expect(onAndroid({ ...message, pm_users: '1,2,3' })).toMatchObject({ subtitle: 'to a group' });
    expect(onAndroid({ event: 'unheard of' }).kind).toBe('silent');
  });

  it('marks encrypted content', () => {
    const aps = { alert: { title: 'New notification' } };
    expect(onApple({ aps, encrypted_data: 'x' })).toMatchObject({
      kind: 'encrypted',
      title: 'New notification',
    });
    expect(onAndroid({ encrypted_data: 'x' })).toMatchObject({
      kind: 'encrypted',
      title: 'New notification',
    });
  });

  it('shows what the phone decrypts', () => {
    const note = 'Encrypted for this phone';
    const message = { type: 'message', message_id: 3, sender_full_name: 'Bob', content: 'Hi' };
    expect(decrypted({ ...message, channel_name: 'general', topic: 'lunch' })).toMatchObject({
      kind: 'encrypted',
      title: '#general > lunch',
      subtitle: 'Bob',
      body: 'Hi',
      messageIds: ['3'],
      note,
    });
    expect(decrypted({ ...message, recipient_user_ids: [1, 2] })).toMatchObject({ title: 'Bob' });
    expect(decrypted({ type: 'test', realm_name: 'Acme', realm_url: 'https://a' })).toMatchObject({
      title: 'Test notification',
      body: 'This is a test notification from Acme (https://a).',
      note,
    });
    expect(decrypted({ type: 'remove', message_ids: [3, 4] })).toMatchObject({
      kind: 'removal',
      messageIds: ['3', '4'],
    });
    expect(decrypted({ type: 'unheard of' }).kind).toBe('silent');
  });
});
