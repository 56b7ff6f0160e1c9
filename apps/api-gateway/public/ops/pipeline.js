import { make, nothing, part, redraw, sign, table } from './dom.js';
import { duration, number, platformNames, timeElement } from './format.js';

const AWAY = 'Not known: Redis does not answer.';

/** Draws the queues, the credentials and the workers. */
export function drawPipeline(pipeline, now) {
  redraw(part('queue-table'), pipeline && pipeline.queues, (queues) =>
    queues === null ? nothing(AWAY) : queueTable(queues),
  );
  redraw(
    part('credential-table'),
    pipeline && [pipeline.credentials, pipeline.pruneAlarms],
    (both) => (both === null ? nothing(AWAY) : credentialTable(...both)),
  );
  redraw(part('worker-table'), pipeline && withAges(pipeline.workers, now), (workers) =>
    workers === null ? nothing(AWAY) : workerTable(workers),
  );
}

const queueTable = (queues) =>
  table(
    ['Queue', 'Waiting', 'Oldest', 'Coming back', 'In work', ''],
    queues.map(({ name, waiting, oldestWaitingMs, delayed, active, isPaused }) => [
      make('a', { href: `/ops/queues/queue/${name}` }, name),
      number(waiting),
      oldestWaitingMs === null ? '–' : duration(oldestWaitingMs),
      number(delayed),
      number(active),
      isPaused ? sign('paused', 'odd') : '',
    ]),
  );

const gateSigns = { open: ['open', 'good'], probing: ['trying one', 'odd'], shut: ['shut', 'bad'] };

function credentialTable(credentials, alarms) {
  if (credentials.length === 0) return nothing('No worker has used a credential yet.');
  const byKey = new Map(alarms.map((alarm) => [alarm.key, alarm]));
  return table(
    ['Credential', 'Platform', 'State', 'Why', 'Tries again', 'Removing dead tokens'],
    credentials.map(({ key, platform, state, cause, reopensAt, workers, ofWorkers }) => [
      make('code', {}, key),
      platformNames[platform],
      [
        sign(...gateSigns[state]),
        workers === ofWorkers ? '' : ` at ${workers} of ${ofWorkers} workers`,
      ],
      cause ?? '–',
      reopensAt === null ? (state === 'open' ? '–' : 'after a restart') : timeElement(reopensAt),
      pruneState(byKey.get(key)),
    ]),
  );
}

const pruneState = (alarm) =>
  alarm === undefined
    ? 'yes'
    : [
        sign('stopped', 'bad'),
        ` ${number(alarm.dead)} of ${number(alarm.answers)} dead, since `,
        timeElement(alarm.since),
      ];

/** Ages in whole units, so that a table is drawn anew only when one of them changes. */
const withAges = (workers, now) =>
  workers.map(({ startedAt, reportedAt, ...worker }) => ({
    ...worker,
    startedAt,
    runs: duration(now - startedAt),
    heard: now - reportedAt < 5000 ? 'now' : `${duration(now - reportedAt)} ago`,
  }));

function workerTable(workers) {
  if (workers.length === 0) return nothing('No worker has said anything in the last 15 seconds.');
  return table(
    ['Worker', 'Takes from', 'In flight', 'Heard of', 'Runs for', 'Version'],
    workers.map(({ host, pid, queues, inFlight, heard, runs, startedAt, version }) => [
      make('span', { className: 'mono' }, `${host}/${pid}`),
      queues.join(', '),
      number(inFlight),
      heard,
      make('span', { title: new Date(startedAt).toLocaleString() }, runs),
      version,
    ]),
  );
}
