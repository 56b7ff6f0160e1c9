import type { Metrics } from '#telemetry';
import type { PresenceClient } from '../rpc/presence-client.js';

/** What there is to tell of a gateway's way to the presence program. */
export type ObservedCalls = Pick<
  PresenceClient,
  'addresses' | 'counters' | 'heldDropped' | 'heldUsers' | 'openConnections'
>;

/** Tells Prometheus how a gateway fares with the presence program. docs/observability.md says what it means. */
export function observeCalls(metrics: Metrics, client: ObservedCalls): void {
  const { counters } = client;
  metrics.tally(
    {
      name: 'carillon_presence_client_calls_total',
      help: 'Calls to the presence program, by what came of them.',
      labels: ['result'],
    },
    () =>
      Object.entries(counters.results).map(([result, value]) => ({ labels: { result }, value })),
  );
  const count = (what: string, help: string, look: () => number) =>
    metrics.tally({ name: `carillon_presence_client_${what}_total`, help, labels: [] }, () => [
      { labels: {}, value: look() },
    ]);
  count('retries', 'Calls made again because their connection was lost.', () => counters.retried);
  count(
    'refused_connections',
    'Connections given up because the other side did not know the shared secret.',
    () => counters.refusedConnections,
  );
  count(
    'held_dropped',
    'Requests given up because too many were held already.',
    () => client.heldDropped,
  );
  metrics.distribution(
    { name: 'carillon_presence_client_call_seconds', help: 'From a call to its answer.' },
    counters.answeredSeconds,
  );
  const tell = (what: string, help: string, look: () => number) =>
    metrics.gauge({ name: `carillon_presence_client_${what}`, help, labels: [] }, () => [
      { labels: {}, value: look() },
    ]);
  tell('held_users', 'Users of whom no presence process could be told.', () => client.heldUsers);
  tell('connections', 'Presence processes that can be asked.', () => client.openConnections);
  tell('addresses', 'Presence processes that there are to be.', () => client.addresses);
}
