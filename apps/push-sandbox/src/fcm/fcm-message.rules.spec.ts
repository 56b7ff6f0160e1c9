import { describe, expect, it } from '@jest/globals';
import { fcmIdentityOf, fcmTokenOf, readFcmMessage } from './fcm-message.rules.js';

const token = 'abc:APA91b';
const fid = 'cF-xYz0123456789_AbCdE';
const kindsOf = (body: unknown) => {
  const reading = readFcmMessage(body);
  if (!('refusal' in reading)) return 'accepted';
  const { status, body: text } = reading.refusal;
  const details = ['FcmError', 'BadRequest'].filter((kind) => text.includes(`.${kind}"`));
  return [status, ...details].join(' ');
};
const message = (fields: object) => ({ message: { token, ...fields } });

describe(readFcmMessage.name, () => {
  it.each<[string, unknown, string]>([
    ['a token alone', message({}), 'accepted'],
    ['data of texts', message({ data: { a: 'b' } }), 'accepted'],
    ['a notification', message({ notification: { title: 'a', body: 'b' } }), 'accepted'],
    [
      'android options',
      message({ android: { priority: 'high', ttl: '86400s', collapse_key: 'k', other: 1 } }),
      'accepted',
    ],
    ['a text', 'hello', '400 BadRequest'],
    ['a list', [], '400 BadRequest'],
    ['no message', {}, '400 BadRequest'],
    [
      'a dry run, which the sandbox has not',
      { ...message({}), validate_only: true },
      '400 BadRequest',
    ],
    ['an unknown field', message({ colour: 'red' }), '400 BadRequest'],
    ['data that is no text', message({ data: { a: 1 } }), '400 BadRequest'],
    ['data in data', message({ data: { a: {} } }), '400 BadRequest'],
    ['an unknown priority', message({ android: { priority: 'urgent' } }), '400 BadRequest'],
    ['a ttl without a unit', message({ android: { ttl: '60' } }), '400 BadRequest'],
    ['four weeks', message({ android: { ttl: '2419200s' } }), 'accepted'],
    ['more than four weeks', message({ android: { ttl: '2419201s' } }), '400 FcmError BadRequest'],
    ['a key that FCM keeps', message({ data: { from: 'me' } }), '400 FcmError BadRequest'],
    ['a key of Google', message({ data: { 'google.x': 'me' } }), '400 FcmError BadRequest'],
    ['no recipient', { message: { data: {} } }, '400 FcmError BadRequest'],
    ['an installation id', { message: { fid } }, 'accepted'],
    ['an installation id as a token', { message: { token: fid } }, 'accepted'],
    ['a token as an installation id', { message: { fid: token } }, '400 FcmError BadRequest'],
    ['two recipients', message({ fid }), '400 BadRequest'],
    ['an empty recipient', { message: { token: '' } }, '400 FcmError BadRequest'],
    ['a token that cannot be one', { message: { token: 'not a token' } }, '400 FcmError'],
    ['4096 bytes', message({ data: { a: 'x'.repeat(4095) } }), 'accepted'],
    ['4097 bytes', message({ data: { a: 'x'.repeat(4096) } }), '400 FcmError BadRequest'],
    [
      'many bytes in few letters',
      message({ data: { a: 'é'.repeat(2048) } }),
      '400 FcmError BadRequest',
    ],
  ])('validates %s', (_case, body, expected) => {
    expect(kindsOf(body)).toBe(expected);
  });

  it('names the faulty field', () => {
    const reading = readFcmMessage(message({ colour: 'red' }));
    expect(JSON.stringify(reading)).toContain(
      `Unknown name \\\\\\"colour\\\\\\" at 'message': Cannot find field.`,
    );
  });
});

describe(fcmTokenOf.name, () => {
  it('finds the token in an invalid message', () => {
    expect(fcmTokenOf(message({ data: 1 }))).toBe(token);
    expect(fcmTokenOf({ message: { fid, data: 1 } })).toBe(fid);
    expect(fcmTokenOf('nothing')).toBe('');
  });
});

describe(fcmIdentityOf.name, () => {
  it('uses the id in the data, otherwise the whole message', () => {
    const first = message({ data: { notification_id: '1', try: 'a' } });
    const again = message({ data: { notification_id: '1', try: 'b' } });
    expect(fcmIdentityOf(first)).toBe(fcmIdentityOf(again));
    expect(fcmIdentityOf(message({ data: { a: '1' } }))).not.toBe(
      fcmIdentityOf(message({ data: { a: '2' } })),
    );
  });
});
