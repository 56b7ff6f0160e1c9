import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DeliveryRecord } from '../delivery-record.repository.js';
import { MAX_OPEN_MS, OpenPage, type PageClosing, QUIET_MS } from './open-page.js';

const record = (traits: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
  notificationId: 'n',
  deviceId: 1,
  state: 'delivered',
  isAttempt: true,
  mayBeShown: true,
  reason: null,
  dueAt: null,
  dead: null,
  deadLetter: null,
  environment: null,
  subscription: null,
  ...traits,
});

describe(OpenPage.name, () => {
  let closings: PageClosing[];
  let isOurs: boolean;
  let sut: OpenPage;

  beforeEach(() => {
    jest.useFakeTimers();
    closings = [];
    isOurs = true;
    const pending = new Map([
      [1, 'n1'],
      [3, 'n3'],
    ]);
    sut = new OpenPage('page', 'pdp', pending, (closing) => {
      closings.push(closing);
      return Promise.resolve(isOurs);
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is written once, when all its deliveries have ended', async () => {
    const first = sut.settle(1, record());
    expect(closings).toEqual([]);
    const second = sut.settle(3, record({ state: 'withdrawn', mayBeShown: false }));
    expect(await Promise.all([first, second])).toEqual([true, true]);
    expect(closings).toEqual([{ id: 'page', states: 'ddw', own: [], learnt: [] }]);
  });

  it('gives a row to a delivery that did not end in an ordinary way, which is recorded there', async () => {
    const first = sut.settle(1, record({ state: 'pending', reason: 'deadline' }));
    const second = sut.settle(3, record());
    expect(await Promise.all([first, second])).toEqual([false, true]);
    const own = { place: 1, notificationId: 'n1', mayBeShown: true, dueInSeconds: null };
    expect(closings).toMatchObject([{ states: 'odd', own: [own] }]);
  });

  it('gives a row to a delivered push that its provider has named', async () => {
    const first = sut.settle(1, record({ reason: 'apns-unique-id A1' }));
    const second = sut.settle(3, record());
    expect(await Promise.all([first, second])).toEqual([false, true]);
    expect(closings).toMatchObject([{ states: 'odd', own: [{ place: 1 }] }]);
  });

  it('gives a row to a withdrawn delivery whose phone may show it', async () => {
    void sut.settle(3, record());
    await sut.settle(1, record({ state: 'withdrawn', mayBeShown: true }));
    expect(closings).toMatchObject([{ states: 'odd' }]);
  });

  it('waits for the first answer of the provider, although a place was released before', async () => {
    void sut.release(1, 5);
    jest.advanceTimersByTime(2 * QUIET_MS);
    expect(closings).toEqual([]);
    expect(await sut.settle(3, record())).toBe(true);
    const own = { place: 1, notificationId: 'n1', mayBeShown: false, dueInSeconds: 5 };
    expect(closings).toMatchObject([{ states: 'odd', own: [own] }]);
  });

  it('does not wait for its last deliveries, whose outcomes are recorded in their rows', async () => {
    const first = sut.settle(1, record());
    jest.advanceTimersByTime(QUIET_MS - 1);
    expect(closings).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(await first).toBe(true);
    const own = { place: 3, notificationId: 'n3', mayBeShown: true, dueInSeconds: null };
    expect(closings).toMatchObject([{ states: 'ddo', own: [own] }]);
    expect(await sut.settle(3, record())).toBe(false);
    expect(closings).toHaveLength(1);
  });

  it('does not wait for ever for the first answer', () => {
    jest.advanceTimersByTime(MAX_OPEN_MS);
    expect(closings).toMatchObject([{ states: 'odo' }]);
  });

  it('gives a row that is due to a delivery that was not sent', async () => {
    void sut.settle(1, record());
    await sut.release(3, 2);
    const own = { place: 3, notificationId: 'n3', mayBeShown: false, dueInSeconds: 2 };
    expect(closings).toMatchObject([{ states: 'ddo', own: [own] }]);
  });

  it('says that nothing is recorded when another worker has closed the page', async () => {
    isOurs = false;
    void sut.settle(1, record());
    expect(await sut.settle(3, record())).toBe(false);
  });

  it('keeps the environments that the attempts have found out', async () => {
    const learnt = record({ environment: 'sandbox' });
    void sut.settle(1, learnt);
    await sut.settle(3, record());
    expect(closings).toMatchObject([{ states: 'ddd', learnt: [learnt] }]);
  });
});
