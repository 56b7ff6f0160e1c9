import { Distribution } from '#telemetry';

/**
 * What came of a gateway's call: presence answered it; nobody did in time, so that it was answered without and is
 * held; or presence refused it.
 */
export type CallResult = 'answered' | 'unanswered' | 'refused';

/** A gateway's calls to the presence program, counted since the start. Plain numbers; observeCalls tells them. */
export class CallCounters {
  readonly results: Record<CallResult, number> = { answered: 0, unanswered: 0, refused: 0 };
  /** Calls that were made again at another process, or over a new connection, because theirs was lost. */
  retried = 0;
  /** Connections that were given up because the other side did not know the shared secret. */
  refusedConnections = 0;
  /** From a call to its answer, over all processes that were asked. */
  readonly answeredSeconds = new Distribution([
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
  ]);
}
