import { Distribution, type Metrics } from '#platform/telemetry';

/** `unanswered`: no answer in time, so that the gateway answered and buffered the request. */
type CallResult = 'answered' | 'unanswered' | 'refused';

/** Counters of a gateway's calls to the presence program, since the start. observeCalls exports them. */
export class CallCounters {
  readonly results: Record<CallResult, number> = { answered: 0, unanswered: 0, refused: 0 };
  /** Calls repeated at another process, or over a new connection, because the connection was lost. */
  retried = 0;
  /** Connections closed because the other side did not know the shared secret. */
  refusedConnections = 0;
  /** DNS lookups of a presence address that failed or found nothing. */
  failedLookups = 0;
  /** From a call to its answer, including retries. */
  readonly answeredSeconds = new Distribution([
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
  ]);
}

/** The state of a gateway's client of the presence program. */
interface CallSource {
  readonly counters: CallCounters;
  readonly addresses: number;
  readonly openConnections: number;
  readonly bufferedUsers: number;
  readonly bufferDropped: number;
}

/** Exports metrics of the connection to the presence program; docs/observability.md explains them. */
export function observeCalls(metrics: Metrics, client: CallSource): void {
  const { counters } = client;
  metrics.tally(
    {
      name: 'carillon_presence_client_calls_total',
      help: 'Calls to the presence program, by result.',
      labels: ['result'],
    },
    () =>
      Object.entries(counters.results).map(([result, value]) => ({ labels: { result }, value })),
  );
  const count = (what: string, help: string, read: () => number) =>
    metrics.tally({ name: `carillon_presence_client_${what}_total`, help, labels: [] }, () => [
      { labels: {}, value: read() },
    ]);
  count('retries', 'Calls repeated because their connection was lost.', () => counters.retried);
  count(
    'refused_connections',
    'Connections closed because the other side did not know the shared secret.',
    () => counters.refusedConnections,
  );
  count(
    'failed_lookups',
    'DNS lookups of presence processes that failed or found none.',
    () => counters.failedLookups,
  );
  count(
    'held_dropped',
    'Requests dropped because the buffer was full.',
    () => client.bufferDropped,
  );
  metrics.distribution(
    { name: 'carillon_presence_client_call_seconds', help: 'Seconds from a call to its answer.' },
    counters.answeredSeconds,
  );
  const gauge = (what: string, help: string, read: () => number) =>
    metrics.gauge({ name: `carillon_presence_client_${what}`, help, labels: [] }, () => [
      { labels: {}, value: read() },
    ]);
  gauge('held_users', 'Users with buffered requests.', () => client.bufferedUsers);
  gauge('connections', 'Connected presence processes.', () => client.openConnections);
  gauge('addresses', 'Expected presence processes.', () => client.addresses);
}
