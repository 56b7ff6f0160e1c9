import { expect } from '@jest/globals';
import type { Database } from '#platform/database';
import { eventually } from './eventually.js';

const WAITING = `
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`;

/** The number of statements in the database that wait for a lock, with the text `part` in them. */
const lockWaits = async (database: Database, part = ''): Promise<number> =>
  (await database.query('lock_waits', WAITING, [`%${part}%`])).length;

/** Resolves when this number of statements wait for a lock. */
export const untilLockWaits = (database: Database, count = 1, part = ''): Promise<void> =>
  eventually(async () => expect(await lockWaits(database, part)).toBe(count));
