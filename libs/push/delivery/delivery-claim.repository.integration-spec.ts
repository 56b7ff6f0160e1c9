import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import type { ClientTokens, WebPushRepository } from '#push/devices';
import { type DeliveryKey, MAX_BLOCKING_ATTEMPTS } from '#push/notifications';
import { useDatabase, useFixture } from '#test/use-fixture';
import type { PushObserver } from '#push/observability';
import { type Claim, DeliveryClaimRepository } from './delivery-claim.repository.js';
import { DeliveryRecordRepository } from './delivery-record.repository.js';
import { DeliveryReturnRepository } from './delivery-return.repository.js';
import type { PushFeedback } from './feedback/push-feedback.js';
import { OutcomeHandler } from './outcome-handler.js';
import { OpenPage } from './pages/open-page.js';
import { SweepRepository } from './sweep/sweep.repository.js';

const LEASE_MS = 30_000;
const RETRY = { dueAt: new Date(Date.now() + 3_600_000), reason: 'TooManyRequests' };

/** It is ahead of the clock of PostgreSQL. */
const clock = () => Date.now() + 4000;

const stores = useDatabase();
const sut = useFixture(
  async () => new DeliveryClaimRepository(stores.database, LEASE_MS, { hasTokens: true }, clock),
);
let userId: number;
let deviceId: number;

beforeAll(async () => {
  const realm = await prisma().realm.create({ data: { subdomain: '', name: 'Chat' } });
  const email = 'a@example.org';
  const user = await prisma().user.create({
    data: {
      realmId: realm.id,
      deliveryEmail: email,
      email,
      fullName: 'A',
      role: 400,
      apiKeyHash: randomBytes(32),
      apiKeySealed: new Uint8Array(),
    },
  });
  userId = user.id;
});
beforeEach(async () => {
  const { id } = await prisma().pushDevice.create({
    data: {
      userId,
      keyGeneration: 1,
      platform: 'fcm',
      token: randomUUID(),
      tokenDigest: randomBytes(32),
    },
  });
  deviceId = id;
});

const prisma = () => stores.database.prisma;

interface Traits {
  readonly acceptedAt?: Date;
  readonly attempts?: number;
  readonly mayWait?: boolean;
  readonly dueAt?: Date;
  readonly reason?: string;
  readonly mayBeShown?: boolean;
}

/** Stores a delivery to the device, and its notification; resolves with its key. */
async function accept(traits: Traits = {}, content: object = { kind: 'test', time: 1 }) {
  const notificationId = randomUUID();
  const expiresAt = new Date(Date.now() + 600_000);
  await prisma().pushNotification.create({
    data: { id: notificationId, userId, kind: 'test', content, expiresAt },
  });
  await prisma().pushDelivery.create({
    data: { notificationId, deviceId, platform: 'fcm', ...traits },
  });
  return { notificationId, deviceId };
}

async function claimOf(key: DeliveryKey) {
  const [claimed] = await sut.claim([key]);
  return claimed?.claim;
}

const outcomes = () =>
  new OutcomeHandler(
    new DeliveryRecordRepository(
      stores.database,
      {} as ClientTokens,
      { apply: async () => 0 } as Partial<WebPushRepository> as WebPushRepository,
      {} as PushObserver,
      new Metrics(),
    ),
    new DeliveryReturnRepository(stores.database, LEASE_MS),
    { answered: () => Promise.resolve() },
    {} as PushObserver,
    {} as PushFeedback,
    clock,
  );

const markOf = async (key: DeliveryKey) =>
  (await prisma().pushDelivery.findFirst({ where: key }))?.mayBeShown;

describe('A claim', () => {
  it.each([
    [4, 'not_yet'],
    [5, 'due'],
  ])('of a delivery behind one with %i failed attempts: %s', async (attempts, kind) => {
    await accept({ ...RETRY, attempts });
    expect(await claimOf(await accept())).toMatchObject({ kind });
  });

  it.each([
    ['an urgent delivery', false, 'a bulk one', true, 'due'],
    ['a bulk delivery', true, 'an urgent one', false, 'not_yet'],
    ['a bulk delivery', true, 'a bulk one', true, 'not_yet'],
    ['an urgent delivery', false, 'an urgent one', false, 'not_yet'],
  ])('of %s (%s) behind %s (%s): %s', async (_later, mayWait, _earlier, isBulk, kind) => {
    await accept({ ...RETRY, mayWait: isBulk });
    expect(await claimOf(await accept({ mayWait }))).toMatchObject({ kind });
  });

  it('takes over the due time of the earlier delivery', async () => {
    await accept(RETRY);
    const key = await accept();
    expect(await claimOf(key)).toMatchObject({ kind: 'not_yet' });
    const row = await prisma().pushDelivery.findFirst({ where: key });
    expect(row?.dueAt).toEqual(RETRY.dueAt);
  });

  it.each([
    ['that is not yet due', () => accept({ dueAt: RETRY.dueAt })],
    ['behind one that is not yet due', () => accept(RETRY).then(() => accept())],
  ])('of a delivery %s waits as long with a clock that is ahead', async (_which, add) => {
    const key = await add();
    const [begin, claim] = [Date.now(), await claimOf(key)];
    const waitMs = claim?.kind === 'not_yet' ? claim.until - clock() : 0;
    expect(waitMs).toBeLessThanOrEqual(RETRY.dueAt.getTime() - begin);
    expect(waitMs).toBeGreaterThan(RETRY.dueAt.getTime() - begin - 2000);
  });

  /** A push on its way that failed before so often that later ones need not wait for it. */
  const SENT_AGAIN = { attempts: 5, dueAt: new Date(Date.now() + 30_000) };
  const message = { kind: 'message', messageId: 7, trigger: 'direct' };
  const removal = (...messageIds: number[]) => ({ kind: 'remove', messageIds });

  it.each([
    ['a removal behind a push of its message', message, removal(7), 'not_yet'],
    ['a message behind a push that removes it', removal(6, 7), message, 'not_yet'],
    ['a message behind a push that removes others', removal(6), message, 'due'],
    ['a test behind a push that removes messages', removal(7), { kind: 'test', time: 1 }, 'due'],
    ['a message behind a push of another', { ...message, messageId: 6 }, message, 'due'],
  ])('of %s: %s', async (_which, earlier, later, kind) => {
    await accept({ ...SENT_AGAIN, mayWait: earlier.kind === 'remove' }, earlier);
    const key = await accept({ mayWait: later.kind === 'remove' }, later);
    expect(await claimOf(key)).toMatchObject({ kind });
  });

  it.each([
    ['waits for a removal of it that waits for a retry', 1, removal(7), 'not_yet'],
    ['passes a removal of it that has failed often', 5, removal(7), 'due'],
    ['passes a removal of other messages', 1, removal(8), 'due'],
  ])('of a message %s', async (_which, attempts, removed, kind) => {
    await accept({ ...RETRY, attempts, mayWait: true }, removed);
    expect(await claimOf(await accept({}, message))).toMatchObject({ kind });
  });

  it.each([
    ['a new delivery', {}, false],
    ['a delivery that was not shown', { mayBeShown: false, dueAt: new Date(0) }, false],
    ['a delivery that the previous release has attempted', { dueAt: new Date(0) }, true],
  ])('of %s marks it as shown, and tells whether it was before', async (_which, traits, before) => {
    const key = await accept(traits);
    expect(await claimOf(key)).toMatchObject({ kind: 'due', mayBeShown: before });
    expect(await markOf(key)).toBe(true);
  });

  it.each([
    ['that was never claimed', 0, false],
    ['of a worker that died', 30_000, true],
  ])(
    'of a delivery whose job was lost tells whether it was shown: one %s',
    async (_which, leased, before) => {
      const acceptedAt = new Date(Date.now() - 60_000);
      const key = await accept({ acceptedAt, dueAt: new Date(acceptedAt.getTime() + leased) });
      await new SweepRepository(stores.database).overdue({ fcm: 3000 }, '0', 500);
      expect(await claimOf(key)).toMatchObject({ kind: 'due', mayBeShown: before });
    },
  );

  it.each([
    ['new', {}, false],
    ['after an attempt', { dueAt: new Date(0) }, true],
  ])('of a delivery behind another leaves the mark: %s', async (_which, traits, expected) => {
    await accept(RETRY);
    const key = await accept(traits);
    expect(await claimOf(key)).toMatchObject({ kind: 'not_yet' });
    expect(await markOf(key)).toBe(expected);
  });

  it('leaves content of a later release to a worker of that release, and lets no other wait for it for long', async () => {
    const key = await accept({}, { kind: 'future' });
    const next = await accept();
    const pass = async () => {
      const claim = await claimOf(key);
      if (claim?.kind !== 'unreadable') throw new Error(`It is ${claim?.kind}`);
      const progress = await outcomes().handleClaim(key, claim);
      expect(await claimOf(key)).toMatchObject({ kind: 'not_yet' });
      await prisma().pushDelivery.updateMany({ where: key, data: { dueAt: new Date(0) } });
      return progress;
    };
    for (let count = 1; count < MAX_BLOCKING_ATTEMPTS; count += 1) {
      expect(await pass()).toMatchObject({ state: 'pending', next: null });
    }
    expect(await claimOf(next)).toMatchObject({ kind: 'not_yet' });
    expect(await pass()).toMatchObject({ state: 'pending', next });
    await pass();
    expect(await prisma().pushDelivery.findFirst({ where: key })).toMatchObject({
      attempts: MAX_BLOCKING_ATTEMPTS,
      mayBeShown: false,
    });
    expect(await claimOf(next)).toMatchObject({ kind: 'due' });
  });

  it('ends content of a later release that has expired', async () => {
    const key = await accept({}, { kind: 'future' });
    const { notificationId: id } = key;
    await prisma().pushNotification.updateMany({ where: { id }, data: { expiresAt: new Date(0) } });
    const claim = await claimOf(key);
    if (claim?.kind !== 'unreadable') throw new Error(`It is ${claim?.kind}`);
    expect(await outcomes().handleClaim(key, claim)).toMatchObject({ state: 'expired' });
    expect(await claimOf(key)).toMatchObject({ kind: 'ended', state: 'expired' });
  });
});

describe('A delivery that was claimed and not sent', () => {
  const giveBack = async (claim: Claim | undefined, inPage?: { page: OpenPage; place: number }) => {
    if (claim?.kind !== 'due') throw new Error(`It is ${claim?.kind}`);
    return outcomes().handle({ ...claim, inPage }, { kind: 'lease_too_old' });
  };

  /** It has given all its places rows, with its lease. */
  const closedPage = () => {
    const page = new OpenPage(randomUUID(), 'p', new Map([[1, '']]), () => Promise.resolve(true));
    void page.release(1, 0);
    return { page, place: 1 };
  };

  it.each([
    ['with a row of its own', undefined],
    ['of a page that was closed meanwhile', closedPage()],
  ])('is due at once, as before: %s', async (_which, inPage) => {
    const key = await accept();
    const progress = await giveBack(await claimOf(key), inPage);
    expect(progress).toMatchObject({ state: 'pending', behindForMs: null });
    expect(await claimOf(key)).toMatchObject({ kind: 'due', mayBeShown: false });
  });

  it('counts as shown if it did before', async () => {
    const key = await accept({ dueAt: new Date(0) });
    await giveBack(await claimOf(key));
    expect(await claimOf(key)).toMatchObject({ kind: 'due', mayBeShown: true });
  });

  it('stays with a worker that has claimed it after the lease', async () => {
    const key = await accept();
    const claim = await claimOf(key);
    const dueAt = new Date(Date.now() + 2 * LEASE_MS);
    await prisma().pushDelivery.updateMany({ where: key, data: { dueAt } });
    await giveBack(claim);
    expect(await claimOf(key)).toMatchObject({ kind: 'not_yet' });
    expect(await markOf(key)).toBe(true);
  });
});
