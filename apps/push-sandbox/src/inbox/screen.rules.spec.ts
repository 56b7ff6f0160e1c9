import { describe, expect, it } from '@jest/globals';
import type { Delivery } from './delivery.js';
import { screensOf } from './screen.rules.js';

let lastId = 0;
const delivery = (parts: Partial<Delivery>): Delivery => ({
  id: (lastId += 1),
  platform: 'fcm',
  token: 't',
  topic: null,
  headers: {},
  payload: {},
  decrypted: null,
  status: 200,
  reason: null,
  shown: true,
  expired: false,
  delay_ms: 0,
  received_at: 1_796_083_200,
  ...parts,
});

const account = { realm_url: 'https://chat', user_id: 5 };
const toIphone = (id: number, collapseId: string, parts: Partial<Delivery> = {}) =>
  delivery({
    platform: 'apns',
    headers: { 'apns-collapse-id': collapseId },
    payload: {
      aps: { alert: { title: `Message ${id}` } },
      zulip: { event: 'message', ...account, message_ids: [id] },
    },
    ...parts,
  });
const iphoneRemoval = (ids: string) =>
  delivery({
    platform: 'apns',
    headers: { 'apns-collapse-id': 'removal' },
    payload: { aps: {}, zulip: { event: 'remove', ...account, zulip_message_ids: ids } },
  });
const toAndroid = (data: object, parts: Partial<Delivery> = {}) =>
  delivery({ payload: { message: { data: { ...account, ...data } } }, ...parts });
const androidMessage = (id: number, parts: Partial<Delivery> = {}) =>
  toAndroid({ event: 'message', zulip_message_id: String(id) }, parts);
const decrypted = (content: object, parts: Partial<Delivery> = {}) =>
  delivery({ decrypted: { ...account, ...content }, ...parts });

const shownBy = (...deliveries: Delivery[]): Record<string, number> =>
  Object.fromEntries(
    screensOf(deliveries).flatMap(({ messages }) =>
      messages.map(({ message_id: id, copies }) => [id, copies]),
    ),
  );

describe(screensOf.name, () => {
  it('replaces notifications with the same collapse id on an iPhone', () => {
    expect(shownBy(toIphone(1, 'a'), toIphone(1, 'a'), toIphone(2, 'b'))).toEqual({ 1: 1, 2: 1 });
    expect(shownBy(toIphone(1, 'a'), toIphone(2, 'a'))).toEqual({ 2: 1 });
    expect(shownBy(toIphone(1, 'a'), toIphone(1, 'b'))).toEqual({ 1: 2 });
  });

  it('shows one notification for each push on Android', () => {
    expect(shownBy(androidMessage(1), androidMessage(1), androidMessage(2))).toEqual({
      1: 2,
      2: 1,
    });
  });

  it('clears all copies of removed messages', () => {
    const remove = toAndroid({ event: 'remove', zulip_message_ids: '1,3' });
    expect(shownBy(androidMessage(1), androidMessage(1), androidMessage(2), remove)).toEqual({
      2: 1,
    });
    expect(shownBy(toIphone(1, 'a'), toIphone(2, 'b'), iphoneRemoval('2'))).toEqual({ 1: 1 });
  });

  it('shows a message again that arrives after its removal', () => {
    const remove = toAndroid({ event: 'remove', zulip_message_ids: '1' });
    expect(shownBy(androidMessage(1), remove, androidMessage(1))).toEqual({ 1: 1 });
  });

  it('clears the messages of the account only', () => {
    const remove = toAndroid({ event: 'remove', user_id: 6, zulip_message_ids: '1' });
    expect(shownBy(androidMessage(1), remove)).toEqual({ 1: 1 });
  });

  it.each(['apns', 'fcm'] as const)('reads encrypted pushes of %s', (platform) => {
    const message = decrypted({ type: 'message', message_id: 1 }, { platform });
    const remove = decrypted({ type: 'remove', message_ids: [1] }, { platform });
    expect(shownBy(message)).toEqual({ 1: 1 });
    expect(shownBy(message, remove)).toEqual({});
  });

  it('lets a push that the phone cannot read replace a readable one', () => {
    const sealed = toIphone(1, 'a', {
      payload: { aps: { alert: { title: 'New notification' } }, encrypted_data: 'x' },
    });
    const [screen] = screensOf([toIphone(1, 'a'), sealed]);
    expect(screen).toMatchObject({ messages: [], notifications: [{ kind: 'encrypted' }] });
  });

  it('does not show a push that did not reach the phone', () => {
    expect(screensOf([androidMessage(1, { shown: false })])).toEqual([]);
  });

  it('shows a push that reached the phone, whatever its answer was', () => {
    expect(shownBy(androidMessage(1, { status: 503 }), toIphone(2, 'a', { status: null }))).toEqual(
      { 1: 1, 2: 1 },
    );
  });

  it('separates phones, and compares the tokens of iPhones without regard to case', () => {
    const screens = screensOf([
      toIphone(1, 'a', { token: 'AB' }),
      toIphone(1, 'a', { token: 'ab' }),
      androidMessage(1, { token: 'AB' }),
      androidMessage(1, { token: 'ab' }),
    ]);
    expect(screens.map(({ platform, token }) => `${platform} ${token}`)).toEqual([
      'apns ab',
      'fcm AB',
      'fcm ab',
    ]);
  });

  it('shows each message once in a browser, and closes what was read', () => {
    const toBrowser = (id: number, topic: string, read: readonly number[] = [], user = 5) =>
      decrypted(
        { type: 'message', message_id: id, read_message_ids: read, user_id: user },
        { platform: 'web', headers: { topic } },
      );
    expect(shownBy(toBrowser(1, 'a'), toBrowser(1, 'a'), toBrowser(2, 'b'))).toEqual({
      1: 1,
      2: 1,
    });
    expect(shownBy(toBrowser(1, 'a'), toBrowser(1, 'notified again'))).toEqual({ 1: 1 });
    expect(shownBy(toBrowser(1, 'a'), toBrowser(2, 'b', [1]))).toEqual({ 2: 1 });
    const [shared] = screensOf([
      toBrowser(1, 'a'),
      toBrowser(1, 'b', [], 6),
      toBrowser(2, 'c', [1]),
    ]);
    expect(shared?.messages).toMatchObject([
      { account: 'https://chat/#user/6', message_id: '1', copies: 1 },
      { account: 'https://chat/#user/5', message_id: '2', copies: 1 },
    ]);
    const confirmation = decrypted({ type: 'confirm' }, { platform: 'web' });
    expect(shownBy(confirmation)).toEqual({});
  });
});
