import { describe, expect, it } from '@jest/globals';
import { type ApnsRequest, faultOfAddress, faultOfNotification } from './apns-request.rules.js';

const token = '0123456789abcdef'.repeat(4);
const good: ApnsRequest = {
  method: 'POST',
  path: `/3/device/${token}`,
  headers: { 'apns-topic': 'org.example.chat', 'apns-push-type': 'alert' },
  headerNames: [':method', 'authorization', 'apns-topic', 'apns-push-type'],
  payload: Buffer.from('{"aps":{"alert":"Hello"}}'),
};
const withHeaders = (headers: Record<string, string | undefined>): ApnsRequest => ({
  ...good,
  headers: { ...good.headers, ...headers },
});
const payloadOfBytes = (bytes: number) => Buffer.from(JSON.stringify({ a: 'x'.repeat(bytes - 8) }));

describe(faultOfAddress.name, () => {
  it.each<[string, Partial<ApnsRequest>, string | undefined]>([
    ['a good request', {}, undefined],
    ['GET', { method: 'GET' }, 'MethodNotAllowed'],
    ['another path', { path: '/2/device/abc' }, 'BadPath'],
    ['a path that only begins alike', { path: '/3/devices' }, 'BadPath'],
    ['a path without a token, which is found later', { path: '/3/device' }, undefined],
    ['an id that is no UUID', { headers: { 'apns-id': '42' } }, 'BadMessageId'],
    [
      'an id in capitals',
      { headers: { 'apns-id': 'EC1BF194-B3B2-424A-89A9-5A918A6E6B5D' } },
      undefined,
    ],
  ])('validates %s', (_case, change, fault) => {
    expect(faultOfAddress({ ...good, ...change })).toBe(fault);
  });
});

describe(faultOfNotification.name, () => {
  it.each<[string, ApnsRequest, string | undefined]>([
    ['a good request', good, undefined],
    [
      'a header sent twice',
      { ...good, headerNames: [...good.headerNames, 'Apns-Topic'] },
      'DuplicateHeaders',
    ],
    ['no token', { ...good, path: '/3/device/' }, 'MissingDeviceToken'],
    ['a token that is too short', { ...good, path: '/3/device/ab' }, 'BadDeviceToken'],
    ['a token that is not hexadecimal', { ...good, path: `/3/device/z${token}` }, 'BadDeviceToken'],
    ['half a byte too much', { ...good, path: `/3/device/${token}a` }, 'BadDeviceToken'],
    ['a token in capitals', { ...good, path: `/3/device/${token.toUpperCase()}` }, undefined],
    ['no topic', withHeaders({ 'apns-topic': undefined }), 'MissingTopic'],
    ['an empty topic', withHeaders({ 'apns-topic': '' }), 'MissingTopic'],
    ['a topic that is no bundle id', withHeaders({ 'apns-topic': 'chat app' }), 'BadTopic'],
    ['no push type', withHeaders({ 'apns-push-type': undefined }), undefined],
    ['an unknown push type', withHeaders({ 'apns-push-type': 'loud' }), 'InvalidPushType'],
    ['priority 1', withHeaders({ 'apns-priority': '1' }), undefined],
    ['priority 7', withHeaders({ 'apns-priority': '7' }), 'BadPriority'],
    [
      'background with priority 5',
      withHeaders({ 'apns-push-type': 'background', 'apns-priority': '5' }),
      undefined,
    ],
    [
      'background with priority 10',
      withHeaders({ 'apns-push-type': 'background', 'apns-priority': '10' }),
      'BadPriority',
    ],
    [
      'background with the priority left out',
      withHeaders({ 'apns-push-type': 'background' }),
      'BadPriority',
    ],
    ['an expiration', withHeaders({ 'apns-expiration': '1700000000' }), undefined],
    ['an expiration in words', withHeaders({ 'apns-expiration': 'soon' }), 'BadExpirationDate'],
    [
      'an expiration in milliseconds',
      withHeaders({ 'apns-expiration': '1700000000000' }),
      'BadExpirationDate',
    ],
    ['a collapse id of 64 bytes', withHeaders({ 'apns-collapse-id': 'c'.repeat(64) }), undefined],
    [
      'a collapse id of 65 bytes',
      withHeaders({ 'apns-collapse-id': 'c'.repeat(65) }),
      'BadCollapseId',
    ],
    ['no payload', { ...good, payload: Buffer.alloc(0) }, 'PayloadEmpty'],
    ['a payload that is no object', { ...good, payload: Buffer.from('[]') }, 'PayloadEmpty'],
    ['a payload of 4096 bytes', { ...good, payload: payloadOfBytes(4096) }, undefined],
    ['a payload of 4097 bytes', { ...good, payload: payloadOfBytes(4097) }, 'PayloadTooLarge'],
    [
      'a call of 5120 bytes',
      { ...withHeaders({ 'apns-push-type': 'voip' }), payload: payloadOfBytes(5120) },
      undefined,
    ],
  ])('validates %s', (_case, request, fault) => {
    expect(faultOfNotification(request)).toBe(fault);
  });
});
