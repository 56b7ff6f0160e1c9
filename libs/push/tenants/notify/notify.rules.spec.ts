import { describe, expect, it } from '@jest/globals';
import { ApiError } from '#platform/contracts';
import {
  apnsContentOf,
  deletedTokens,
  fcmContentOf,
  fcmDataOf,
  isTooDeep,
  MAX_DEPTH,
  testContents,
} from './notify.rules.js';
import { notifyAccount, notifyEncrypted, testTenantDevice } from './notify.schema.js';

/** A list in a list, and so on, as JSON. */
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const ids = Array.from({ length: 250 }, (_, index) => 250 - index);
const newest = Array.from({ length: 200 }, (_, index) => index + 51).join(',');

describe(apnsContentOf.name, () => {
  it('puts everything but the custom members below aps', () => {
    const alert = { title: 'T', body: 'B' };
    const custom = { zulip: { event: 'message' }, other: 1 };
    expect(apnsContentOf({ alert, sound: 'default', badge: 0, custom })).toEqual({
      isSilent: false,
      apnsUrgency: { pushType: 'alert', priority: 10 },
      payload: { aps: { alert, sound: 'default', badge: 0 }, ...custom },
    });
  });

  it('understands the oldest form', () => {
    expect(apnsContentOf({ alert: 'Hi', message_ids: [3], sound: 'x' }).payload).toEqual({
      aps: { alert: 'Hi', badge: 0 },
      zulip: { message_ids: [3] },
    });
  });

  it('keeps the newest messages of a removal, which is not urgent', () => {
    const zulip = { event: 'remove', zulip_message_ids: ids.join(',') };
    const { payload, isSilent, apnsUrgency } = apnsContentOf({ badge: 0, custom: { zulip } });
    expect(payload['zulip']).toEqual({ event: 'remove', zulip_message_ids: newest });
    expect({ isSilent, apnsUrgency }).toEqual({
      isSilent: true,
      apnsUrgency: { pushType: 'alert', priority: 5 },
    });
  });

  it('is a background push without anything to show', () => {
    expect(apnsContentOf({}).apnsUrgency).toEqual({ pushType: 'background', priority: 5 });
  });
});

describe(fcmContentOf.name, () => {
  it.each([
    [{ event: 'message' }, {}, false],
    [{ event: 'message' }, { priority: 'normal' }, true],
    [{ event: 'remove' }, {}, true],
    [{ event: 'remove' }, { priority: 'high' }, false],
    [{}, {}, true],
  ])('gives %j with %j its urgency', (payload, options, isSilent) => {
    expect(fcmContentOf(payload, options).isSilent).toBe(isSilent);
  });

  it('keeps the newest messages of a removal', () => {
    const given = { event: 'remove', zulip_message_ids: ids.join(',') };
    expect(fcmContentOf(given, {}).payload['zulip_message_ids']).toBe(newest);
  });

  it.each([
    [{ priority: 'x' }, "Invalid GCM option to bouncer: priority 'x'"],
    [{ a: 1, b: 'c' }, 'Invalid GCM options to bouncer: {"a":1,"b":"c"}'],
  ])('refuses %j', (options, msg) => {
    expect(() => fcmContentOf({}, options)).toThrow(ApiError);
    expect(() => fcmContentOf({}, options)).toThrow(msg);
  });
});

describe(fcmDataOf.name, () => {
  it('makes every value a text', () => {
    expect(fcmDataOf({ a: 'x', b: 1, c: true, d: null, e: { f: [2] } })).toEqual({
      a: 'x',
      b: '1',
      c: 'true',
      d: 'null',
      e: '{"f":[2]}',
    });
  });
});

describe(isTooDeep.name, () => {
  it('counts lists and objects inside of each other', () => {
    expect(isTooDeep(JSON.parse(nested(MAX_DEPTH)))).toBe(false);
    expect(isTooDeep(JSON.parse(nested(MAX_DEPTH + 1)))).toBe(true);
    expect(isTooDeep({ a: [1, { b: null }] }, 3)).toBe(false);
    expect(isTooDeep({ a: [1, { b: null }] }, 2)).toBe(true);
  });

  const deep = JSON.parse(nested(6000));
  const payload = { push_key_id: 1, encrypted_data: 'e', deep };
  const request = { token_id: 'U807QYuy0e0=', fcm_priority: 'high', payload };
  const test = { user_id: 1, token: 't', token_kind: 1 };
  it.each([
    ['an account', notifyAccount, { user_id: 1, gcm_payload: { deep } }],
    ['an account, in its options', notifyAccount, { user_id: 1, gcm_options: { deep } }],
    ['a token', testTenantDevice, { ...test, base_payload: { deep } }],
    ['encrypted', notifyEncrypted, { realm_uuid: 'u', push_requests: [request] }],
  ])('is a fault of a request: %s', (_what, { parameters }, body) => {
    const { error } = parameters.request.schema.safeParse(body);
    expect(error?.issues).toMatchObject([{ code: 'too_big', path: [] }]);
  });
});

describe('The id of a token', () => {
  const idFault = (id: unknown) => {
    const valid = { token_id: 'U807QYuy0e0=', fcm_priority: 'high' };
    const requests = [valid, { ...valid, token_id: id }].map((request) => ({
      ...request,
      payload: { push_key_id: 1, encrypted_data: 'e' },
    }));
    const { schema } = notifyEncrypted.parameters.request;
    return schema.safeParse({ realm_uuid: 'u', push_requests: requests }).error?.issues[0]?.path;
  };

  it.each([
    '??',
    '',
    'U807QYuy0e0',
    'U807QYuy0e0= ',
    'U807QYuy0e1=',
    'U807QYuy',
    'U807QYuy0e0AAA==',
  ])('is not "%s"', (id) => {
    expect(idFault(id)).toEqual(['push_requests', 1, 'token_id']);
  });

  it('is the base64 of eight bytes', () => {
    expect(idFault('nXevip6dmho=')).toBeUndefined();
  });
});

describe(testContents.name, () => {
  it('names the organisation', () => {
    const { apns, fcm } = testContents({ realm_name: 'R', realm_url: 'u', realm_uri: 'v' }, 7);
    expect(apns.payload['aps']).toMatchObject({
      alert: { body: 'This is a test notification from R (u).' },
    });
    expect(fcm.payload).toMatchObject({ event: 'test', time: '7' });
  });
});

describe(deletedTokens.name, () => {
  it('lists tokens that are not registered, sorted and once', () => {
    expect(deletedTokens('fcm', ['b', 'a', 'B', 'b', 'c'], ['c'])).toEqual(['B', 'a', 'b']);
  });

  it('lists all but one spelling of a registered token of Apple', () => {
    expect(deletedTokens('apns', ['AB', 'ab', 'Ab'], ['ab'])).toEqual(['AB', 'Ab']);
    expect(deletedTokens('apns', ['AB', 'Ab'], ['ab'])).toEqual(['Ab']);
    expect(deletedTokens('apns', ['CD', 'cd'], [])).toEqual(['CD', 'cd']);
  });
});
