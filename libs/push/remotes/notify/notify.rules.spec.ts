import { describe, expect, it } from '@jest/globals';
import { ApiError } from '#platform/contracts';
import {
  apnsContentOf,
  deletedTokens,
  fcmContentOf,
  fcmDataOf,
  testContents,
} from './notify.rules.js';

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
