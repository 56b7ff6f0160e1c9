/** Separates these advisory locks from others in the database; the second number is the id of the sender. */
const SENDER_LOCK = 1_735_289_203;

/**
 * SQL expressions for the advisory lock of a sender, held until the end of the transaction. Deliveries share it, and
 * muting takes it alone. So a muting waits for the messages that are being stored, and a message that is stored
 * later finds the muting by a statement that follows the one with the lock.
 */
export const shareSender = (senderId: string): string =>
  `pg_advisory_xact_lock_shared(${SENDER_LOCK}, ${senderId})`;

export const lockSender = (senderId: string): string =>
  `pg_advisory_xact_lock(${SENDER_LOCK}, ${senderId})`;
