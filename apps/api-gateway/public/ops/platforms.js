import { post } from './api.js';
import { throughputChart, troubleChart } from './charts.js';
import { make, nothing, part, sign, workButton } from './dom.js';
import { duration, number, platformNames } from './format.js';
import { attempt } from './toast.js';

const cards = new Map();

/** Draws how each platform does: its sign, its numbers, its charts, and the button that holds it up. */
export function drawPlatforms(pipeline, look) {
  for (const platform of Object.keys(platformNames)) {
    const card = cards.get(platform) ?? makeCard(platform, look);
    cards.set(platform, card);
    if (pipeline === null) card.showUnknown();
    else
      card.show(
        pipeline.platforms[platform],
        pipeline.history.times,
        pipeline.history.series[platform],
      );
  }
}

function stateSign({ isPaused, hasWorkers, isShut }) {
  if (isPaused) return sign('paused', 'odd');
  if (!hasWorkers) return sign('no worker', 'bad');
  if (isShut) return sign('stopped', 'bad');
  return sign('sending', 'good');
}

const LAST_MINUTE = 6;

/** Of the last whole minute: the newest step is still being counted. */
const lastMinute = (counts = []) =>
  counts.slice(-LAST_MINUTE - 1, -1).reduce((sum, count) => sum + count, 0);

function makeCard(platform, look) {
  const name = platformNames[platform];
  const state = make('span');
  const facts = make('dl', { className: 'facts' });
  let isPaused = false;
  const button = workButton('Pause', {
    work: async () => {
      const verb = isPaused ? 'resume' : 'pause';
      await attempt(
        () => post(`api/platforms/${platform}/${verb}`),
        () =>
          verb === 'pause' ? `${name} is paused: what is accepted waits.` : `${name} goes on.`,
      );
      await look();
    },
  });
  const throughput = makeFigure('Per second, last 30 minutes', {
    chartOf: throughputChart,
    empty: 'Nothing was sent in the last 30 minutes.',
  });
  const trouble = makeFigure('What did not go through, per ten seconds', {
    chartOf: troubleChart,
    empty: 'Nothing was held up or lost in the last 30 minutes.',
  });
  part(platform).replaceChildren(
    make('header', {}, make('h2', { id: `${platform}-title` }, name), state, button),
    facts,
    ...throughput.elements,
    ...trouble.elements,
  );
  return {
    show(standing, times, series) {
      isPaused = standing.isPaused;
      button.textContent = isPaused ? 'Resume' : 'Pause';
      button.classList.toggle('main', isPaused);
      button.setAttribute('aria-label', `${button.textContent} ${name}`);
      state.replaceChildren(stateSign(standing));
      facts.replaceChildren(...factsOf(standing, series));
      throughput.show({ times, series });
      trouble.show({ times, series });
    },
    showUnknown() {
      state.replaceChildren(sign('not known', 'bad'));
      facts.replaceChildren();
    },
  };
}

function factsOf({ waiting, delayed, active, oldestWaitingMs }, series) {
  const facts = [
    ['accepted/min', number(lastMinute(series.accepted))],
    ['delivered/min', number(lastMinute(series.delivered))],
    ['jobs waiting', number(waiting)],
    ['coming back', number(delayed)],
    ['in work', number(active)],
    ['oldest job', oldestWaitingMs === null ? '–' : duration(oldestWaitingMs)],
  ];
  return facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value)));
}

/** A chart with its title; where there is nothing to see it says so instead. */
function makeFigure(title, { chartOf, empty }) {
  const container = make('div', { className: 'chart' });
  const note = nothing(empty);
  const chart = chartOf(container);
  return {
    elements: [make('h3', {}, title), container, note],
    show(history) {
      chart.show(history);
      note.hidden = !chart.isEmpty;
    },
  };
}
