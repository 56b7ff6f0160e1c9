import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EventLog } from '#events/log';
import type { Database } from '#platform/database';
import { RealmAnswers } from './realm-answers.js';
import { RealmPushStatuses } from './realm-push-statuses.js';
import type { RealmUploadRepository } from './realm-upload.repository.js';
import type { RealmUploads } from './realm-uploads.js';

const REALM = '0b8d6d2e-6f5e-4d0e-9a35-4f3f0d7c1a11';
const PUSHES = 500;

let transactions: number;
let requestedUploads: number;
let isDown: boolean;
let sut: RealmAnswers;

beforeEach(() => {
  transactions = 0;
  requestedUploads = 0;
  isDown = false;
  const database = {
    transaction: async (work: (transaction: unknown) => Promise<unknown>) => {
      transactions += 1;
      if (isDown) throw new Error('PostgreSQL is down');
      return work({});
    },
  };
  const repository = {
    store: () => Promise.resolve([]),
    switchOff: () => Promise.resolve([]),
    recordSuccess: () => Promise.resolve(),
  };
  const uploads = {
    requestUpload: () => {
      requestedUploads += 1;
      return Promise.resolve();
    },
  };
  // The answers use only these methods.
  const statuses = new RealmPushStatuses(
    repository as unknown as RealmUploadRepository,
    {} as EventLog,
    database as unknown as Database,
  );
  sut = new RealmAnswers(statuses, uploads as unknown as RealmUploads);
});

/** The answer to a request with many pushes, which each of them tells. */
const toldByAll = (tell: () => Promise<void>) =>
  Promise.all(Array.from({ length: PUSHES }, () => tell()));

const accepted = (canPush = true) =>
  sut.accepted(REALM, { can_push: canPush, expected_end_timestamp: null });

describe(RealmAnswers.name, () => {
  it('stores the status in the answer to a request once', async () => {
    await toldByAll(() => accepted());
    expect(transactions).toBe(1);
    await accepted(false);
    expect(transactions).toBe(2);
  });

  it('stores a status again that could not be stored', async () => {
    isDown = true;
    await expect(accepted()).rejects.toThrow('PostgreSQL is down');
    isDown = false;
    await accepted();
    expect(transactions).toBe(2);
  });

  it.each([
    ['PUSH_NOTIFICATIONS_DISALLOWED', 0],
    ['MISSING_REMOTE_REALM', 1],
  ])('stores the refusal %s of a request once', async (code, expectedUploads) => {
    await toldByAll(() => sut.refused(1, code));
    expect(transactions).toBe(1);
    expect(requestedUploads).toBe(expectedUploads);
  });

  it('stores nothing of other refusals', async () => {
    await sut.refused(1, 'BAD_REQUEST');
    await sut.refused(1, null);
    expect(transactions).toBe(0);
  });
});
