import { watchActions } from './actions.js';
import { get, post } from './api.js';
import { drawDeadLetters } from './dead-letters.js';
import { part } from './dom.js';
import { drawEvents } from './events.js';
import { drawPipeline } from './pipeline.js';
import { drawPlatforms } from './platforms.js';
import { answerHash, listenForQuestions } from './search.js';
import { drawAlerts } from './alerts.js';
import { watchServers } from './servers.js';

const EVERY_MS = 2000;
const EVERY_HIDDEN_MS = 30_000;
/** The gateway itself waits for its stores no longer than two seconds. */
const DEADLINE_MS = 5000;

let timer;

function setLive(text, tone) {
  part('live').textContent = text;
  part('live').className = `live ${tone}`;
}

function draw(overview) {
  const { pipeline, deadLetters, alerts, events, at } = overview;
  drawAlerts(alerts, at);
  drawPlatforms(overview, look);
  drawPipeline(pipeline, at);
  drawEvents(events, at);
  drawDeadLetters(deadLetters, look);
  const alarms = alerts.filter(({ severity }) => severity === 'alarm').length;
  document.title = `${alarms > 0 ? `(${alarms}) ` : ''}Carillon operations`;
}

/** Fetches the overview, draws it, and schedules the next call. */
async function look() {
  clearTimeout(timer);
  try {
    draw(await get('api/overview', {}, { deadlineMs: DEADLINE_MS }));
    setLive('Live', 'is-live');
  } catch (error) {
    setLive(error.message, 'is-lost');
    document.body.classList.add('is-stale');
    timer = setTimeout(look, EVERY_MS);
    return;
  }
  document.body.classList.remove('is-stale');
  timer = setTimeout(look, document.hidden ? EVERY_HIDDEN_MS : EVERY_MS);
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void look();
});

part('sign-out').addEventListener('click', async () => {
  await post('sign-out').catch(() => undefined);
  location.assign('/ops/sign-in');
});

listenForQuestions();
// The first drawing moves the panel to which the answer scrolls.
void look().then(answerHash);
void watchServers();
void watchActions();
