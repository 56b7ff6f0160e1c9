import type { Dashboard, Panel } from './grafana-json.js';

const panel = (title: string, unit: string, ...queries: Panel['queries']): Panel => ({
  title,
  unit,
  queries,
});

/** The selection of a metric in every query. */
const JOB = 'job=~"$job"';
const rateOf = (metric: string, labels = ''): string =>
  `rate(${metric}{${JOB}${labels === '' ? '' : `, ${labels}`}}[$__rate_interval])`;
const sumOf = (metric: string, by: string, labels = ''): string =>
  `sum by (${by}) (${rateOf(metric, labels)})`;
const gaugeOf = (metric: string, labels = ''): string =>
  `${metric}{${JOB}${labels === '' ? '' : `, ${labels}`}}`;
const quantile = (share: number, metric: string, by = '', labels = ''): string =>
  `histogram_quantile(${share}, sum by (${by === '' ? 'le' : `${by}, le`}) (${rateOf(`${metric}_bucket`, labels)}))`;

const NO_POLLS = 'route!~".*/events|/health/.*"';

const overview: Dashboard = {
  name: 'overview',
  title: 'Carillon: overview',
  panels: [
    panel('Requests', 'reqps', [
      sumOf('carillon_http_requests_total', 'status', 'route!~"/health/.*"'),
      '{{status}}',
    ]),
    panel('Server errors', 'percentunit', [
      `sum(${rateOf('carillon_http_requests_total', 'status=~"5..", route!~"/health/.*"')}) / sum(${rateOf('carillon_http_requests_total', 'route!~"/health/.*"')})`,
      'share of requests',
    ]),
    panel(
      'Duration of requests without polls',
      's',
      [quantile(0.5, 'carillon_http_request_duration_seconds', '', NO_POLLS), 'median'],
      [quantile(0.99, 'carillon_http_request_duration_seconds', '', NO_POLLS), 'p99'],
    ),
    panel('The slowest routes, p99', 's', [
      `topk(8, ${quantile(0.99, 'carillon_http_request_duration_seconds', 'route', NO_POLLS)})`,
      '{{route}}',
    ]),
    panel('Parts that fail', 'short', [
      `1 - ${gaugeOf('carillon_health_ok')}`,
      '{{job}} {{instance}} {{part}}',
    ]),
    panel('Event loop lag, p99', 's', [
      gaugeOf('nodejs_eventloop_lag_p99_seconds'),
      '{{job}} {{instance}}',
    ]),
    panel('CPU', 'percentunit', [
      sumOf('process_cpu_seconds_total', 'job, instance'),
      '{{job}} {{instance}}',
    ]),
    panel('Memory', 'bytes', [gaugeOf('process_resident_memory_bytes'), '{{job}} {{instance}}']),
    panel('Versions', 'short', [
      `count by (job, version) (${gaugeOf('carillon_build_info')})`,
      '{{job}} {{version}}',
    ]),
    panel('Defects', 'short', [
      `sum by (job, place) (increase(carillon_defects_total{${JOB}}[$__rate_interval]))`,
      '{{job}} {{place}}',
    ]),
  ],
};

const push: Dashboard = {
  name: 'push',
  title: 'Carillon: notifications',
  panels: [
    panel('Accepted', 'ops', [
      sumOf('carillon_push_accepted_total', 'platform, kind'),
      '{{platform}} {{kind}}',
    ]),
    panel('Ended', 'ops', [
      sumOf('carillon_push_ended_total', 'platform, state'),
      '{{platform}} {{state}}',
    ]),
    panel(
      'From acceptance to the answer of the provider',
      's',
      [
        quantile(0.5, 'carillon_push_latency_seconds', 'platform', 'kind!="remove"'),
        '{{platform}} median',
      ],
      [
        quantile(0.99, 'carillon_push_latency_seconds', 'platform', 'kind!="remove"'),
        '{{platform}} p99',
      ],
    ),
    panel('One attempt, p99', 's', [
      quantile(0.99, 'carillon_push_provider_seconds', 'platform'),
      '{{platform}}',
    ]),
    panel('Oldest pending delivery', 's', [
      `max by (platform) (${gaugeOf('carillon_push_pending_oldest_seconds')})`,
      '{{platform}}',
    ]),
    panel('Pending deliveries', 'short', [
      `max by (platform) (${gaugeOf('carillon_push_pending_deliveries')})`,
      '{{platform}}',
    ]),
    panel('Oldest waiting job', 's', [
      `max by (queue) (${gaugeOf('carillon_push_queue_oldest_seconds')})`,
      '{{queue}}',
    ]),
    panel('Jobs', 'short', [
      `max by (queue, state) (${gaugeOf('carillon_push_queue_jobs')})`,
      '{{queue}} {{state}}',
    ]),
    panel('Workers', 'short', [
      `max by (queue) (${gaugeOf('carillon_push_queue_workers')})`,
      '{{queue}}',
    ]),
    panel('Breakers that are not closed', 'short', [
      `max by (credential, cause, reason) (${gaugeOf('carillon_push_breaker_cause')})`,
      '{{credential}} {{cause}} {{reason}}',
    ]),
    panel('Attempts that are repeated', 'ops', [
      sumOf('carillon_push_retried_total', 'platform, reason'),
      '{{platform}} {{reason}}',
    ]),
    panel('In flight', 'short', [gaugeOf('carillon_push_in_flight'), '{{instance}} {{platform}}']),
    panel('Dead letters', 'short', [
      `max by (platform) (${gaugeOf('carillon_push_dead_letters')})`,
      '{{platform}}',
    ]),
    panel('Days until a certificate expires', 'd', [
      `min by (credential) (${gaugeOf('carillon_push_credential_expires_timestamp_seconds')} - time()) / 86400`,
      '{{credential}}',
    ]),
  ],
};

const presence: Dashboard = {
  name: 'presence',
  title: 'Carillon: presence',
  panels: [
    panel(
      'Reports',
      'reqps',
      [sumOf('carillon_presence_reports_accepted_total', 'instance'), '{{instance}} published'],
      [sumOf('carillon_presence_reports_suppressed_total', 'instance'), '{{instance}} unchanged'],
    ),
    panel('Answers', 'reqps', [sumOf('carillon_presence_answers_total', 'kind'), '{{kind}}']),
    panel(
      'Calls, p99',
      's',
      [quantile(0.99, 'carillon_presence_client_call_seconds'), 'as gateways see them'],
      [quantile(0.99, 'carillon_presence_call_seconds'), 'in the process'],
    ),
    panel('Calls without an answer', 'reqps', [
      sumOf('carillon_presence_client_calls_total', 'result', 'result!="answered"'),
      '{{result}}',
    ]),
    panel('Without Redis', 's', [gaugeOf('carillon_presence_stale_seconds'), '{{instance}}']),
    panel('Lag behind Redis', 's', [
      gaugeOf('carillon_presence_replica_lag_seconds'),
      '{{instance}}',
    ]),
    panel(
      'Users whose reports wait',
      'short',
      [gaugeOf('carillon_presence_held_users'), '{{instance}} for Redis'],
      [gaugeOf('carillon_presence_client_held_users'), '{{instance}} for presence'],
    ),
    panel('Users in memory', 'short', [
      gaugeOf('carillon_presence_replicated_users'),
      '{{instance}}',
    ]),
    panel('Organisations read as a whole', 'ops', [
      sumOf('carillon_presence_replica_loads_total', 'instance, reason'),
      '{{instance}} {{reason}}',
    ]),
    panel(
      'Processes, as gateways see them',
      'short',
      [gaugeOf('carillon_presence_client_addresses'), '{{instance}} expected'],
      [gaugeOf('carillon_presence_client_connections'), '{{instance}} reached'],
    ),
  ],
};

const events: Dashboard = {
  name: 'events',
  title: 'Carillon: events',
  panels: [
    panel('Held polls', 'short', [gaugeOf('carillon_events_held_polls'), '{{instance}}']),
    panel('Answered polls', 'reqps', [sumOf('carillon_events_polls_total', 'kind'), '{{kind}}']),
    panel('Events in answers', 'ops', [
      sumOf('carillon_events_delivered_total', 'instance'),
      '{{instance}}',
    ]),
    panel(
      'From the change to the answer',
      's',
      [quantile(0.5, 'carillon_events_lag_seconds'), 'median'],
      [quantile(0.99, 'carillon_events_lag_seconds'), 'p99'],
    ),
    panel('Polls that read PostgreSQL', 'reqps', [
      sumOf('carillon_events_read_from_log_total', 'instance'),
      '{{instance}}',
    ]),
    panel('Deleted full queues', 'short', [
      `sum by (instance) (increase(carillon_events_overflowed_queues_total{${JOB}}[$__rate_interval]))`,
      '{{instance}}',
    ]),
  ],
};

const stores: Dashboard = {
  name: 'stores',
  title: 'Carillon: stores',
  panels: [
    ...(['postgresql', 'redis'] as const).map((store) =>
      panel(
        `Calls to ${store === 'redis' ? 'Redis' : 'PostgreSQL'}`,
        's',
        [quantile(0.5, 'carillon_store_call_seconds', '', `store="${store}"`), 'median'],
        [quantile(0.99, 'carillon_store_call_seconds', 'job', `store="${store}"`), '{{job}} p99'],
      ),
    ),
    panel('Connections to PostgreSQL', 'short', [
      gaugeOf('carillon_database_connections'),
      '{{job}} {{instance}} {{state}}',
    ]),
    panel('Callers that wait for a connection', 'short', [
      gaugeOf('carillon_database_waiting'),
      '{{job}} {{instance}}',
    ]),
    panel('Busy share of the pool', 'percentunit', [
      `${gaugeOf('carillon_database_connections', 'state="busy"')} / ignoring(state) ${gaugeOf('carillon_database_pool_size')}`,
      '{{job}} {{instance}}',
    ]),
    panel('Connections that may be open in all', 'short', [
      // One connection of each process is for `/health/ready`.
      `sum by (job) (${gaugeOf('carillon_database_pool_size')} + 1)`,
      '{{job}}',
    ]),
    panel('Size of the largest tables, with indexes', 'bytes', [
      `topk(10, max by (table) (${gaugeOf('carillon_database_table_bytes')}))`,
      '{{table}}',
    ]),
    panel('Rows of the largest tables', 'short', [
      `topk(10, max by (table) (${gaugeOf('carillon_database_table_rows')}))`,
      '{{table}}',
    ]),
    panel('Age of the outbox', 's', [
      `max(${gaugeOf('carillon_outbox_oldest_seconds')})`,
      'oldest entry',
    ]),
    panel('Entries of the outbox', 'short', [`max(${gaugeOf('carillon_outbox_rows')})`, 'entries']),
    panel('Since the last sweep', 's', [
      gaugeOf('carillon_push_sweep_age_seconds'),
      '{{instance}}',
    ]),
    panel('Deliveries whose lost jobs were added again', 'ops', [
      sumOf('carillon_push_requeued_total', 'platform'),
      '{{platform}}',
    ]),
    panel('Last seen, p99 of a batch', 's', [
      quantile(0.99, 'carillon_presence_write_seconds'),
      'PostgreSQL',
    ]),
    panel('Free space for uploads', 'bytes', [
      gaugeOf('carillon_uploads_free_bytes'),
      '{{instance}}',
    ]),
  ],
};

/** All dashboards, from which `npm run docs` writes the files for Grafana. */
export const dashboards: readonly Dashboard[] = [overview, push, presence, events, stores];
