import type { Session } from '#database';

/** Any number that no other lock of the database has. */
const LEDGER_LOCK = 7_218_091_201;

const TRY = 'SELECT pg_try_advisory_xact_lock($1) AS is_mine';
const WAIT = 'SELECT pg_advisory_xact_lock($1)';

/**
 * Removing old rows from the ledger and bringing rows back exclude each other: neither decides by rows that the other is
 * about to change. The lock ends with the transaction. False when another transaction has it.
 */
export async function tryLockLedger(session: Session): Promise<boolean> {
  const [row] = await session.query<{ is_mine: boolean }>('try_lock_ledger', TRY, [LEDGER_LOCK]);
  return row?.is_mine === true;
}

/** The same, after waiting for the other transaction. */
export async function lockLedger(session: Session): Promise<void> {
  await session.query('lock_ledger', WAIT, [LEDGER_LOCK]);
}
