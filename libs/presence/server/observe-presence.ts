import type { Distribution, Metrics } from '#platform/telemetry';
import type { PresenceCounters } from '#presence/metrics';

/** The status of a presence process. */
export interface PresenceStatus {
  /** How long Redis has been unavailable; 0 while it is available. */
  readonly staleMs: number;
  /** Users with reports that wait for Redis. */
  readonly bufferedUsers: number;
  /** Users with last-seen times that wait for PostgreSQL. */
  readonly dueUsers: number;
  /** Realms whose replica follows Redis. */
  readonly followedRealms: number;
  /** Realms without a replica, or with a provisional one. */
  readonly unsyncedRealms: number;
  /** Users in all replicas together. */
  readonly users: number;
  /** The longest time that a replica has lacked a change of Redis. */
  readonly replicaLagMs: number;
}

/** The source of the metrics of a presence process. */
interface PresenceSource {
  readonly counters: PresenceCounters;
  status(): PresenceStatus;
}

/** The names of the counters with values of one type. */
type CounterOf<Value> = {
  [Name in keyof PresenceCounters]: PresenceCounters[Name] extends Value ? Name : never;
}[keyof PresenceCounters];

const counts: readonly [name: string, help: string, counter: CounterOf<number>][] = [
  ['reports_accepted', 'Reports that changed something.', 'accepted'],
  [
    'reports_suppressed',
    'Reports that changed nothing and were not written to Redis.',
    'suppressed',
  ],
  ['held_dropped', 'Reports dropped because the buffer was full.', 'bufferDropped'],
  [
    'clock_behind',
    'Batches for which the clock of Redis was not above the last update id.',
    'clockBehind',
  ],
  [
    'ahead_reports',
    'Reports with a time ahead of the clock of Redis; the time was reduced.',
    'aheadReports',
  ],
  ['cursors_ahead', 'Cursors that were ahead of the replica.', 'cursorsAhead'],
  [
    'stale_answers',
    'Answers from a replica that could not be compared with Redis.',
    'staleAnswers',
  ],
  ['shared_bodies_made', 'Shared answers that were built.', 'sharedAnswersMade'],
  ['shared_bodies_reused', 'Answers that reused a shared answer.', 'sharedAnswersReused'],
  ['epoch_changes', 'Replicas that found a new epoch in Redis.', 'epochChanges'],
  ['restored_entries', 'Entries that Redis had lost and that were restored.', 'restored'],
  [
    'write_failures',
    'Batches of last seen that could not be written to PostgreSQL.',
    'writeFailures',
  ],
  ['malformed_frames', 'Connections closed because of a malformed frame.', 'malformedFrames'],
  [
    'refused_connections',
    'Connections closed because the peer did not prove that it knows the shared secret.',
    'refusedConnections',
  ],
  ['failed_calls', 'Requests that were refused or that failed.', 'failedCalls'],
];

const distributions: readonly [name: string, help: string, counter: CounterOf<Distribution>][] = [
  ['batch_reports', 'Reports written to Redis in one call.', 'batchReports'],
  ['answer_entries', 'Entries per answer.', 'answerEntries'],
  ['call_seconds', 'Seconds from the arrival of a request to its answer.', 'callSeconds'],
  ['write_seconds', 'Seconds that PostgreSQL took for a batch of last seen.', 'writeSeconds'],
];

const gauges: readonly [name: string, help: string, of: (presence: PresenceSource) => number][] = [
  [
    'stale_seconds',
    'How long Redis has been unavailable; 0 while it is available.',
    (presence) => presence.status().staleMs / 1000,
  ],
  [
    'held_users',
    'Users with reports that wait for Redis.',
    (presence) => presence.status().bufferedUsers,
  ],
  [
    'due_users',
    'Users with last-seen times that wait for PostgreSQL.',
    (presence) => presence.status().dueUsers,
  ],
  [
    'replica_lag_seconds',
    'The longest time that a replica has lacked a change of Redis.',
    (presence) => presence.status().replicaLagMs / 1000,
  ],
  [
    'replicated_users',
    'Users in the replicas of all realms.',
    (presence) => presence.status().users,
  ],
  ['connections', 'Open connections of gateways.', ({ counters }) => counters.connections],
  ['calls', 'Requests in flight.', ({ counters }) => counters.callsInFlight],
];

/** Exports the metrics of a presence process; docs/observability.md explains them. */
export function observePresence(metrics: Metrics, presence: PresenceSource): void {
  const { counters } = presence;
  for (const [name, help, counter] of counts) {
    metrics.tally({ name: `carillon_presence_${name}_total`, help, labels: [] }, () => [
      { labels: {}, value: counters[counter] },
    ]);
  }
  for (const [name, help, counter] of distributions) {
    metrics.distribution({ name: `carillon_presence_${name}`, help }, counters[counter]);
  }
  for (const [name, help, of] of gauges) {
    metrics.gauge({ name: `carillon_presence_${name}`, help, labels: [] }, () => [
      { labels: {}, value: of(presence) },
    ]);
  }
  observeByLabel(metrics, presence);
}

function observeByLabel(metrics: Metrics, presence: PresenceSource): void {
  const { answers, loads } = presence.counters;
  metrics.tally(
    {
      name: 'carillon_presence_answers_total',
      help: 'Answers by kind.',
      labels: ['kind'],
    },
    () => Object.entries(answers).map(([kind, value]) => ({ labels: { kind }, value })),
  );
  metrics.tally(
    {
      name: 'carillon_presence_replica_loads_total',
      help: 'Replicas loaded from Redis, by reason.',
      labels: ['reason'],
    },
    () => Object.entries(loads).map(([reason, value]) => ({ labels: { reason }, value })),
  );
  metrics.gauge(
    {
      name: 'carillon_presence_realms',
      help: 'Realms by the state of their replica.',
      labels: ['replica'],
    },
    () => {
      const { followedRealms, unsyncedRealms } = presence.status();
      return [
        { labels: { replica: 'following' }, value: followedRealms },
        { labels: { replica: 'missing' }, value: unsyncedRealms },
      ];
    },
  );
}
