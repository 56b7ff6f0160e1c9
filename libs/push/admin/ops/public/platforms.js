import { post } from './api.js';
import { throughputChart, failureChart } from './charts.js';
import { make, nothing, part, sign, workButton } from './dom.js';
import { counted, duration, number, platformNames, roughDuration } from './format.js';
import { attempt } from './toast.js';

const cards = new Map();

/** Draws each platform: its state, its numbers, its charts, and the button that pauses it. */
export function drawPlatforms({ pipeline, backlog, phones, alerts }, look) {
  for (const platform of Object.keys(platformNames)) {
    const card = cards.get(platform) ?? makeCard(platform, look);
    cards.set(platform, card);
    card.showBacklog(backlog && (backlog.find((row) => row.platform === platform) ?? NOTHING));
    card.showPhones(phones?.find((row) => row.platform === platform) ?? null);
    if (pipeline === null) {
      card.showUnknown();
      continue;
    }
    const { platforms, history } = pipeline;
    const isAlarming = alerts.some(
      (alert) => alert.platform === platform && alert.severity === 'alarm',
    );
    const standing = { ...platforms[platform], isAlarming };
    card.show(standing, { times: history.times, series: history.series[platform] });
  }
}

const NOTHING = { count: 0, oldestMs: 0, retried: null };

function stateSign({ isPaused, hasWorkers, isStopped, isPartlyStopped, isAlarming }) {
  if (isPaused) return sign('paused', 'odd');
  if (!hasWorkers) return sign('no worker', 'bad');
  if (isStopped) return sign('stopped', 'bad');
  if (isPartlyStopped) return sign('partly stopped', 'odd');
  if (isAlarming) return sign('prune alarm', 'bad');
  return sign('sending', 'good');
}

const LAST_MINUTE = 6;

/** The count of the last whole minute, without the newest step, which is still being counted. */
const lastMinute = (counts = []) =>
  counts.slice(-LAST_MINUTE - 1, -1).reduce((sum, count) => sum + count, 0);

function makeCard(platform, look) {
  const name = platformNames[platform];
  const state = make('span');
  const facts = make('dl', { className: 'facts' });
  const backlog = make('p', { className: 'soft' });
  const phones = make('p', { className: 'soft' });
  let isPaused = false;
  const button = workButton('Pause', {
    work: async () => {
      const verb = isPaused ? 'resume' : 'pause';
      await attempt(
        () => post(`api/platforms/${platform}/${verb}`),
        () =>
          verb === 'pause'
            ? `${name} is paused. Accepted notifications wait.`
            : `${name} is resumed.`,
      );
      await look();
    },
  });
  const figures = makeFigures();
  part(platform).replaceChildren(
    make('header', {}, make('h2', { id: `${platform}-title` }, name), state, button),
    facts,
    backlog,
    phones,
    ...figures.map(({ element }) => element),
  );
  return {
    show(standing, { times, series }) {
      isPaused = standing.isPaused;
      button.textContent = isPaused ? 'Resume' : 'Pause';
      button.classList.toggle('main', isPaused);
      button.setAttribute('aria-label', `${button.textContent} ${name}`);
      state.replaceChildren(stateSign(standing));
      facts.replaceChildren(...factsOf(standing, series));
      for (const figure of figures) figure.show({ times, series });
    },
    showUnknown() {
      state.replaceChildren(sign('unknown', 'bad'));
      facts.replaceChildren();
      for (const { element } of figures) element.hidden = true;
    },
    showBacklog(row) {
      backlog.textContent = row === null ? '' : backlogText(row);
    },
    showPhones(row) {
      phones.textContent = row === null ? '' : phonesText(row);
    },
  };
}

function factsOf({ waiting, delayed, active, oldestWaitingMs }, series) {
  const facts = [
    ['accepted/min', number(lastMinute(series.accepted))],
    ['delivered/min', number(lastMinute(series.delivered))],
    ['jobs waiting', number(waiting)],
    ['delayed', number(delayed)],
    ['active', number(active)],
    ['oldest job', oldestWaitingMs === null ? '–' : roughDuration(oldestWaitingMs)],
    ...ofOthers('accepted/min', series.others_accepted),
    ...ofOthers('delivered/min', series.others_delivered),
  ];
  return facts.map(fact);
}

/** The count of other servers, if there is one. */
function ofOthers(name, counts) {
  const count = lastMinute(counts);
  return count === 0 ? [] : [[`${name} for others`, number(count)]];
}

const fact = ([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value));

/** The pending deliveries of the ledger, which does not depend on the queues. */
function backlogText({ count, oldestMs, retried }) {
  if (count === 0) return 'All accepted notifications of this server have been sent.';
  const again =
    retried === null ? '' : `; ${number(retried.count)} to be retried: ${retried.reason}`;
  return `${number(count)} pending, the oldest for ${duration(oldestMs)}${again}.`;
}

/** An app registers its phone again each month. */
const phonesText = ({ active, stale }) =>
  `${counted(active, 'active phone')}${stale === 0 ? '.' : `; ${number(stale)} without a registration for 60 days.`}`;

/** The charts of this server and, below them, those of other servers. */
const makeFigures = () => [
  makeFigure('Per second, last 30 minutes', {
    chartOf: throughputChart,
    empty: 'Nothing of this server was sent in the last 30 minutes.',
  }),
  makeFigure('Not delivered, per ten seconds', {
    chartOf: failureChart,
    empty: 'No failures in the last 30 minutes.',
  }),
  makeFigure('For other servers, per second', { chartOf: throughputChart, isOfOthers: true }),
  makeFigure('For other servers, not delivered, per ten seconds', {
    chartOf: failureChart,
    isOfOthers: true,
  }),
];

/**
 * A chart with its title; a note in place of an empty chart, or nothing for one of other servers: few installations send for
 * some. Hidden until the history is known.
 */
function makeFigure(title, { chartOf, empty = '', isOfOthers = false }) {
  const container = make('div', { className: 'chart' });
  const note = nothing(empty);
  const chart = chartOf(container, isOfOthers);
  const element = make('div', { hidden: true }, make('h3', {}, title), container, note);
  return {
    element,
    show(history) {
      element.hidden = false;
      chart.show(history);
      note.hidden = !chart.isEmpty;
      element.hidden = isOfOthers && chart.isEmpty;
    },
  };
}
