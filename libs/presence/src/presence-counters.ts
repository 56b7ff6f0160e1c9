/** What is worth an operator's eye, counted since the start. */
export class PresenceCounters {
  /** Reports that changed something and so were published. */
  accepted = 0;
  /** Reports answered without Redis: they change nothing. */
  suppressed = 0;
  /** Batches that found the clock of Redis not above the last update id. */
  clockBehind = 0;
  /** Cursors that were ahead of this process's mirror. */
  cursorsAhead = 0;
  /** Mirrors read anew: a first load, a gap in the stream, or Redis lost its state. */
  reloads = 0;
  /** Entries that Redis had lost and that were brought back. */
  restored = 0;
  /** Answers given from a mirror that could not be compared with Redis lately. */
  staleAnswers = 0;
  /** Reports given up because too many were held while Redis was away. */
  heldDropped = 0;
  /** Write-behind batches that PostgreSQL did not take; they stay due. */
  writeFailures = 0;
}
