import { Distribution } from '#platform/telemetry';

/** Why a replica was loaded: `first`: none was complete; `gap`: it lacked changes; `lost`: Redis had lost changes. */
export type LoadReason = 'first' | 'gap' | 'lost';

/** How a request was answered: `own`: for one viewer; `shared`, `compressed`: with a shared answer. */
type AnswerKind = 'ping' | 'empty' | 'own' | 'shared' | 'compressed';

/** Counters since the start, exported by observePresence. Plain numbers, to keep counting cheap. */
export class PresenceCounters {
  /** Reports that changed something and were published. */
  accepted = 0;
  /** Reports that changed nothing and were not written to Redis. */
  suppressed = 0;
  /** Reports per call to Redis. */
  readonly batchReports = new Distribution([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
  /** Batches for which the clock of Redis was not above the last update id. */
  clockBehind = 0;
  /** Reports with a time ahead of the clock of Redis: the clock of a gateway is wrong. */
  aheadReports = 0;
  /** Cursors that were ahead of this process's replica. */
  cursorsAhead = 0;
  /** Replicas loaded from Redis, by reason. */
  readonly loads: Record<LoadReason, number> = { first: 0, gap: 0, lost: 0 };
  /** Replicas that found a new epoch: Redis was flushed, or restored by another process. */
  epochChanges = 0;
  /** Entries that Redis had lost and that were restored. */
  restored = 0;
  readonly answers: Record<AnswerKind, number> = {
    ping: 0,
    empty: 0,
    own: 0,
    shared: 0,
    compressed: 0,
  };
  /** Entries per answer. */
  readonly answerEntries = new Distribution([
    0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000,
  ]);
  /** Shared answers that were built. */
  sharedAnswersMade = 0;
  /** Answers that reused a shared answer. */
  sharedAnswersReused = 0;
  /** Answers from a replica whose last comparison with Redis failed or is too old. */
  staleAnswers = 0;
  /** Reports dropped because the buffer was full. */
  bufferDropped = 0;
  /** Write-behind batches that failed; they stay due. */
  writeFailures = 0;
  /** Seconds that PostgreSQL took for a batch of last seen, failed ones included. */
  readonly writeSeconds = new Distribution([0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]);
  /** Open connections of gateways. */
  connections = 0;
  /** Requests in flight. */
  callsInFlight = 0;
  /** Connections closed because of a malformed frame. */
  malformedFrames = 0;
  /** Connections closed because the peer did not prove that it knows the shared secret. */
  refusedConnections = 0;
  /** Requests that were refused or that failed. */
  failedCalls = 0;
  /** From the frame of a request to the frame of its answer. */
  readonly callSeconds = new Distribution([
    0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
  ]);
}
