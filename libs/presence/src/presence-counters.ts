import { Distribution } from '#telemetry';

/**
 * Why a mirror was read from Redis: there was none that could be trusted; changes were missing in it; Redis had
 * lost state.
 */
export type LoadReason = 'first' | 'gap' | 'lost';

/**
 * How a request was answered: without being asked for entries (`ping`), with none, with a body of its own, or with
 * one that is shared, as text or compressed.
 */
export type AnswerKind = 'ping' | 'empty' | 'own' | 'shared' | 'compressed';

/**
 * What is worth an operator's eye, counted since the start. Plain numbers, so that counting costs nothing;
 * observePresence tells them.
 */
export class PresenceCounters {
  /** Reports that changed something and so were published. */
  accepted = 0;
  /** Reports answered without Redis: they change nothing. */
  suppressed = 0;
  /** How many reports went to Redis in one call. */
  readonly batchReports = new Distribution([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
  /** Batches that found the clock of Redis not above the last update id. */
  clockBehind = 0;
  /** Reports with a time ahead of the clock of Redis, which was reduced: some gateway's clock is wrong. */
  aheadReports = 0;
  /** Cursors that were ahead of this process's mirror. */
  cursorsAhead = 0;
  /** Mirrors read anew from Redis, by why. */
  readonly loads: Record<LoadReason, number> = { first: 0, gap: 0, lost: 0 };
  /** Mirrors that found Redis begun anew: flushed, or restored by another process. */
  epochChanges = 0;
  /** Entries that Redis had lost and that were brought back. */
  restored = 0;
  readonly answers: Record<AnswerKind, number> = {
    ping: 0,
    empty: 0,
    own: 0,
    shared: 0,
    compressed: 0,
  };
  /** Entries in answers that were asked for some. */
  readonly answerEntries = new Distribution([
    0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000,
  ]);
  /** Bodies made to be shared by answers. */
  sharedBodiesMade = 0;
  /** Answers that took a body which was there already. */
  sharedBodiesReused = 0;
  /** Answers given from a mirror that could not be compared with Redis lately. */
  staleAnswers = 0;
  /** Reports given up because too many were held while Redis was away. */
  heldDropped = 0;
  /** Write-behind batches that PostgreSQL did not take; they stay due. */
  writeFailures = 0;
  /** How long PostgreSQL took for one batch of last seen, taken or not. */
  readonly writeSeconds = new Distribution([0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]);
  /** Batches of usage statistics that PostgreSQL did not take; they stay due. */
  usageFailures = 0;
  /** Gateways' connections that are open. */
  connections = 0;
  /** Requests that wait for their answer. */
  callsUnderWay = 0;
  /** Connections that were closed because what came over them was no frame of ours. */
  malformedFrames = 0;
  /** Connections that were closed because the peer did not prove to know the shared secret. */
  refusedConnections = 0;
  /** Requests that were refused, or that failed. */
  failedCalls = 0;
  /** From a request's frame to its answer's. */
  readonly callSeconds = new Distribution([
    0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
  ]);
}
