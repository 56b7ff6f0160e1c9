import { describe, expect, it } from '@jest/globals';
import { DeliveriesStore } from './deliveries.store.js';
import type { Attempt, Delivery } from './delivery.js';
import { EncryptedPhones } from './encrypted-phones.js';

const attempt = (change: Partial<Attempt> = {}): Attempt => ({
  platform: 'apns',
  token: 'AB',
  topic: 'org.example.chat',
  headers: {},
  payload: {},
  identity: 'id-1',
  ...change,
});
const accepted = { status: 200, reason: null, shown: true, expired: false, delay_ms: 0 };
const idsOf = (listed: string[]) => listed.map((json): Delivery => JSON.parse(json).id);

describe(DeliveriesStore.name, () => {
  it('lists matching deliveries, the oldest first', () => {
    const sut = new DeliveriesStore(new EncryptedPhones());
    sut.record(attempt(), accepted, new Date(1000));
    sut.record(attempt({ platform: 'fcm', token: 'AB' }), accepted, new Date(2500));
    sut.record(attempt({ token: 'cd' }), accepted, new Date(3000));

    expect(idsOf(sut.list({}))).toEqual([1, 2, 3]);
    expect(idsOf(sut.list({ platform: 'apns' }))).toEqual([1, 3]);
    expect(idsOf(sut.list({ since: 2.5 }))).toEqual([2, 3]);
    expect(idsOf(sut.list({ limit: 1 }))).toEqual([3]);
  });

  it("compares Apple's tokens case-insensitively and Google's case-sensitively", () => {
    const sut = new DeliveriesStore(new EncryptedPhones());
    sut.record(attempt({ token: 'AB' }), accepted, new Date());
    sut.record(attempt({ platform: 'fcm', token: 'AB' }), accepted, new Date());
    expect(idsOf(sut.list({ token: 'ab' }))).toEqual([1]);
    expect(idsOf(sut.list({ token: 'AB' }))).toEqual([1, 2]);
  });

  it('derives the screens of phones, by token', () => {
    const sut = new DeliveriesStore(new EncryptedPhones());
    const payload = { aps: { alert: { title: 'Hi' } }, app: { message_ids: [3] } };
    for (const token of ['AB', 'cd']) sut.record(attempt({ token, payload }), accepted, new Date());
    expect(sut.screens({}).map(({ token }) => token)).toEqual(['ab', 'cd']);
    expect(sut.screens({ token: 'Ab' })).toMatchObject([
      { token: 'ab', messages: [{ message_id: '3', copies: 1 }] },
    ]);
  });

  it('removes deliveries and counts, and continues its ids', () => {
    const sut = new DeliveriesStore(new EncryptedPhones());
    sut.record(attempt(), accepted, new Date());
    sut.forget();
    expect(sut.list({})).toEqual([]);
    expect(sut.summary()).toEqual({ apns: {}, fcm: {}, web: {} });
    sut.record(attempt(), accepted, new Date());
    expect(idsOf(sut.list({}))).toEqual([2]);
  });

  it('stores the newest 100000 and counts all', () => {
    const sut = new DeliveriesStore(new EncryptedPhones());
    for (let count = 0; count < 100_001; count += 1) sut.record(attempt(), accepted, new Date(0));
    const [oldest] = sut.list({});
    expect(oldest).toContain('"id":2,');
    expect(sut.summary().apns['200']?.attempts).toBe(100_001);
  });
});
