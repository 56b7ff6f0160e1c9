import type { Distribution, Metrics } from '#telemetry';
import type { PresenceCounters } from '../presence-counters.js';
import type { PresenceState } from './presence-state.js';

/** What there is to tell of a presence process. */
export interface ObservedPresence {
  readonly counters: PresenceCounters;
  state(): PresenceState;
}

type Row<Source, Value> = readonly [name: string, help: string, of: (source: Source) => Value];

const counts: readonly Row<PresenceCounters, number>[] = [
  ['reports_accepted', 'Reports that changed something.', ({ accepted }) => accepted],
  [
    'reports_suppressed',
    'Reports that changed nothing, for which Redis was not asked.',
    ({ suppressed }) => suppressed,
  ],
  [
    'held_dropped',
    'Reports given up because too many were held already.',
    ({ heldDropped }) => heldDropped,
  ],
  [
    'clock_behind',
    'Batches that found the clock of Redis not above the last update id.',
    ({ clockBehind }) => clockBehind,
  ],
  [
    'ahead_reports',
    'Reports with a time ahead of the clock of Redis, which was reduced.',
    ({ aheadReports }) => aheadReports,
  ],
  ['cursors_ahead', 'Cursors that were ahead of the mirror.', ({ cursorsAhead }) => cursorsAhead],
  [
    'stale_answers',
    'Answers from a mirror that could not be compared with Redis.',
    ({ staleAnswers }) => staleAnswers,
  ],
  [
    'shared_bodies_made',
    'Bodies made to be shared by answers.',
    ({ sharedBodiesMade }) => sharedBodiesMade,
  ],
  [
    'shared_bodies_reused',
    'Answers that took a body which was there already.',
    ({ sharedBodiesReused }) => sharedBodiesReused,
  ],
  ['epoch_changes', 'Mirrors that found Redis begun anew.', ({ epochChanges }) => epochChanges],
  [
    'restored_entries',
    'Entries that Redis had lost and that were brought back.',
    ({ restored }) => restored,
  ],
  [
    'write_failures',
    'Batches of last seen that PostgreSQL did not take.',
    ({ writeFailures }) => writeFailures,
  ],
  [
    'usage_failures',
    'Batches of usage statistics that PostgreSQL did not take.',
    ({ usageFailures }) => usageFailures,
  ],
  [
    'malformed_frames',
    'Connections closed because of what came over them.',
    ({ malformedFrames }) => malformedFrames,
  ],
  [
    'refused_connections',
    'Connections closed because the peer did not prove to know the shared secret.',
    ({ refusedConnections }) => refusedConnections,
  ],
  ['failed_calls', 'Requests that were refused, or that failed.', ({ failedCalls }) => failedCalls],
];

const spreads: readonly Row<PresenceCounters, Distribution>[] = [
  ['batch_reports', 'Reports taken to Redis in one call.', ({ batchReports }) => batchReports],
  [
    'answer_entries',
    'Entries in an answer to who asked for them.',
    ({ answerEntries }) => answerEntries,
  ],
  ['call_seconds', "From a request's arrival to its answer.", ({ callSeconds }) => callSeconds],
  [
    'write_seconds',
    'How long PostgreSQL took for a batch of last seen.',
    ({ writeSeconds }) => writeSeconds,
  ],
];

const states: readonly Row<ObservedPresence, number>[] = [
  [
    'stale_seconds',
    'How long Redis has been away; 0 while it is not.',
    (presence) => presence.state().staleMs / 1000,
  ],
  ['held_users', 'Users whose reports wait for Redis.', (presence) => presence.state().heldUsers],
  [
    'due_users',
    'Users whose last seen waits for PostgreSQL.',
    (presence) => presence.state().dueUsers,
  ],
  [
    'mirror_lag_seconds',
    'The longest that a mirror has been without something that Redis has.',
    (presence) => presence.state().mirrorLagMs / 1000,
  ],
  ['mirrored_users', 'Users in the mirrors of all realms.', (presence) => presence.state().users],
  ['connections', 'Connections of gateways.', ({ counters }) => counters.connections],
  ['calls', 'Requests that wait for their answer.', ({ counters }) => counters.callsUnderWay],
];

/** Tells Prometheus what a presence process counts, and how it stands. docs/observability.md says what it means. */
export function observePresence(metrics: Metrics, presence: ObservedPresence): void {
  const { counters } = presence;
  for (const [name, help, of] of counts) {
    metrics.tally({ name: `carillon_presence_${name}_total`, help, labels: [] }, () => [
      { labels: {}, value: of(counters) },
    ]);
  }
  for (const [name, help, of] of spreads) {
    metrics.distribution({ name: `carillon_presence_${name}`, help }, of(counters));
  }
  for (const [name, help, of] of states) {
    metrics.gauge({ name: `carillon_presence_${name}`, help, labels: [] }, () => [
      { labels: {}, value: of(presence) },
    ]);
  }
  observeByLabel(metrics, presence);
}

function observeByLabel(metrics: Metrics, presence: ObservedPresence): void {
  const { answers, loads } = presence.counters;
  metrics.tally(
    {
      name: 'carillon_presence_answers_total',
      help: 'Answers by what they were.',
      labels: ['kind'],
    },
    () => Object.entries(answers).map(([kind, value]) => ({ labels: { kind }, value })),
  );
  metrics.tally(
    {
      name: 'carillon_presence_mirror_loads_total',
      help: 'Mirrors read from Redis as a whole, by why.',
      labels: ['reason'],
    },
    () => Object.entries(loads).map(([reason, value]) => ({ labels: { reason }, value })),
  );
  metrics.gauge(
    {
      name: 'carillon_presence_realms',
      help: 'Realms by whether their mirror follows Redis.',
      labels: ['mirror'],
    },
    () => {
      const { followedRealms, otherRealms } = presence.state();
      return [
        { labels: { mirror: 'following' }, value: followedRealms },
        { labels: { mirror: 'missing' }, value: otherRealms },
      ];
    },
  );
}
