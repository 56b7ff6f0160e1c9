/** The namespace of these advisory locks; the second number is the id of the sender. */
const SENDER_LOCK = 1_735_289_203;

/**
 * SQL: takes the advisory lock of a sender shared, until the end of the transaction. Storing a message takes it shared,
 * muting exclusively. So a muting waits for messages that are being stored, and a later message sees the muting
 * in the statement after the one with the lock.
 */
export const shareSender = (senderId: string): string =>
  `pg_advisory_xact_lock_shared(${SENDER_LOCK}, ${senderId})`;

/** SQL: takes the same lock exclusively. */
export const lockSender = (senderId: string): string =>
  `pg_advisory_xact_lock(${SENDER_LOCK}, ${senderId})`;
