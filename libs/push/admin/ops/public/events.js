import { make, nothing, part, redraw, sign, table } from './dom.js';
import { duration, number } from './format.js';

const AWAY = 'Unknown: Redis does not answer.';
/** The alert EventsSlow begins above it. */
const SLOW_MS = 1000;
/** The alert EventsReadFromLog begins above this part of the polls. */
const MUCH_FROM_LOG = 0.2;

/** Draws how each gateway delivers events. */
export function drawEvents({ gateways, queues }, now) {
  redraw(part('event-queues'), queues, queuesText);
  redraw(part('event-table'), gateways && withAges(gateways, now), (shown) =>
    shown === null ? nothing(AWAY) : gatewayTable(shown),
  );
}

function queuesText(queues) {
  if (queues === null) return 'Queues unknown: PostgreSQL does not answer.';
  const { count, most } = queues;
  if (count === 1) return '1 queue';
  return `${count === most ? 'At least ' : ''}${number(count)} queues`;
}

/** Ages in whole units, so that the table is redrawn only when one of them changes. */
const withAges = (gateways, now) =>
  gateways.map(({ reportedAt, startedAt, ...gateway }) => ({
    ...gateway,
    runs: duration(now - startedAt),
    heard: now - reportedAt < 8000 ? 'now' : `${duration(now - reportedAt)} ago`,
  }));

function gatewayTable(gateways) {
  if (gateways.length === 0) return nothing('No gateway has reported in the last 30 seconds.');
  return table(
    [
      'Gateway',
      'Held polls',
      'Polls',
      'Events',
      'Delay',
      'From PostgreSQL',
      'Overflown queues',
      'Window',
      'Last report',
      'Uptime',
    ],
    gateways.map(cellsOf),
  );
}

function cellsOf({ host, pid, heldPolls, lastMinute, windows, heard, runs }) {
  const { polls, delivered, lagMs, readFromLog, overflowed } = lastMinute;
  return [
    make('span', { className: 'mono' }, `${host}/${pid}`),
    number(heldPolls),
    number(polls),
    number(delivered),
    lagMs === null ? '–' : delay(lagMs),
    readFromLog > polls * MUCH_FROM_LOG ? sign(number(readFromLog), 'odd') : number(readFromLog),
    overflowed > 0 ? sign(number(overflowed), 'bad') : '0',
    windowText(windows),
    heard,
    runs,
  ];
}

/** The upper ends of buckets. */
function delay({ median, p99 }) {
  const text = `≤ ${duration(median)}, p99 ≤ ${duration(p99)}`;
  return p99 > SLOW_MS ? sign(text, 'odd') : text;
}

const windowText = ({ organisations, events, bytes }) =>
  `${number(events)} events of ${number(organisations)} ${organisations === 1 ? 'organisation' : 'organisations'}, ${number(Math.round(bytes / 104_857.6) / 10)} MiB`;
