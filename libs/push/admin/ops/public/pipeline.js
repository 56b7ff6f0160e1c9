import { make, nothing, part, redraw, sign, table } from './dom.js';
import { duration, number, platformNames, timeElement } from './format.js';

const AWAY = 'Unknown: Redis does not answer.';

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
    ['Queue', 'Waiting', 'Oldest', 'Delayed', 'Active', 'State'],
    queues.map(({ name, waiting, oldestWaitingMs, delayed, active, isPaused }) => [
      make('a', { href: `/ops/queues/queue/${name}` }, name),
      number(waiting),
      oldestWaitingMs === null ? '–' : duration(oldestWaitingMs),
      number(delayed),
      number(active),
      isPaused ? sign('paused', 'odd') : '',
    ]),
  );

const breakerSigns = {
  closed: ['closed', 'good'],
  half_open: ['half-open', 'odd'],
  open: ['open', 'bad'],
};

function credentialTable(credentials, alarms) {
  const ways =
    credentials.length === 0
      ? nothing('No worker has used a credential in the last ten minutes.')
      : table(
          ['Credential', 'Platform', 'Breaker', 'Reason', 'Since', 'Next try'],
          credentials.map(credentialCells),
        );
  return alarms.length === 0 ? ways : [ways, pruneTable(alarms)];
}

const credentialCells = ({ workers, ofWorkers, ...credential }) => {
  const { key, platform, state, reason, since, reopensAt } = credential;
  return [
    make('code', {}, key),
    platformNames[platform],
    [
      sign(...breakerSigns[state]),
      workers === ofWorkers ? '' : ` at ${workers} of ${ofWorkers} workers`,
    ],
    reason ?? '–',
    since === null ? '–' : timeElement(since),
    reopensAt === null ? (state === 'closed' ? '–' : 'now') : timeElement(reopensAt),
  ];
};

const pruneTable = (alarms) =>
  table(
    ['App', 'Platform', 'Removal of dead tokens', 'Reported dead', 'Since'],
    alarms.map(({ key, platform, dead, answers, since }) => [
      make('code', {}, key),
      platformNames[platform],
      sign('stopped', 'bad'),
      `${number(dead)} of ${number(answers)}`,
      timeElement(since),
    ]),
  );

/** Ages in whole units, so that a table is redrawn only when one of them changes. */
const withAges = (workers, now) =>
  workers.map(({ startedAt, reportedAt, ...worker }) => ({
    ...worker,
    startedAt,
    runs: duration(now - startedAt),
    heard: now - reportedAt < 5000 ? 'now' : `${duration(now - reportedAt)} ago`,
  }));

function workerTable(workers) {
  if (workers.length === 0) return nothing('No worker has reported in the last 15 seconds.');
  return table(
    ['Worker', 'Queues', 'In flight', 'Last report', 'Uptime', 'Version'],
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
