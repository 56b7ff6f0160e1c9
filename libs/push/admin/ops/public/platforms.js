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
  const figures = [
    makeFigure('Per second, last 30 minutes', {
      chartOf: throughputChart,
      empty: 'Nothing was sent in the last 30 minutes.',
    }),
    makeFigure('Not delivered, per ten seconds', {
      chartOf: failureChart,
      empty: 'No failures in the last 30 minutes.',
    }),
  ];
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
  ];
  return facts.map(fact);
}

const fact = ([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value));

/** The pending deliveries of the ledger, which does not depend on the queues. */
function backlogText({ count, oldestMs, retried }) {
  if (count === 0) return 'All accepted notifications have been sent.';
  const again =
    retried === null ? '' : `; ${number(retried.count)} to be retried: ${retried.reason}`;
  return `${number(count)} pending, the oldest for ${duration(oldestMs)}${again}.`;
}

/** An app registers its phone again each month. */
const phonesText = ({ active, stale }) =>
  `${counted(active, 'active phone')}${stale === 0 ? '.' : `; ${number(stale)} without a registration for 60 days.`}`;

/** A chart with its title; a note in place of an empty chart. Hidden until the history is known. */
function makeFigure(title, { chartOf, empty }) {
  const container = make('div', { className: 'chart' });
  const note = nothing(empty);
  const chart = chartOf(container);
  const element = make('div', { hidden: true }, make('h3', {}, title), container, note);
  return {
    element,
    show(history) {
      element.hidden = false;
      chart.show(history);
      note.hidden = !chart.isEmpty;
    },
  };
}
