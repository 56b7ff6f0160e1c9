import { make } from './dom.js';
import { showDetails } from './details.js';
import { drawPhone } from './phone.js';

/** A page with more would be slow to draw and hard to read. */
const mostDeliveriesPerPhone = 60;
const mostPhones = 60;

const modeTexts = {
  ok: 'normal',
  down: 'refuses connections',
  hang: 'never answers',
  reset: 'drops connections',
  slow: 'slow',
  throttle: 'throttles',
  bad_credentials: 'refuses credentials',
  goaway: 'ends connections (GOAWAY)',
  blackhole: 'ignores open connections',
};

const page = Object.fromEntries(
  ['live', 'platforms', 'counts', 'filter', 'clear', 'phones', 'empty', 'no-match'].map((id) => [
    id,
    document.getElementById(id),
  ]),
);

/** Phones by platform and token, the one with the newest delivery at the end. */
let phones = new Map();
let counts = { delivered: 0, refused: 0, unanswered: 0 };
const drawn = new Map();
const changed = new Set();
let isDrawingPlanned = false;

function keyOf({ platform, token }) {
  return `${platform} ${platform === 'apns' ? token.toLowerCase() : token}`;
}

function forget() {
  phones = new Map();
  counts = { delivered: 0, refused: 0, unanswered: 0 };
  drawn.clear();
  changed.clear();
  page.phones.replaceChildren();
}

function take(deliveries) {
  for (const delivery of deliveries) {
    const key = keyOf(delivery);
    const phone = phones.get(key) ?? { key, ...delivery, deliveries: [] };
    phone.topic = delivery.topic ?? phone.topic;
    phone.deliveries.unshift(delivery);
    phone.deliveries.length = Math.min(phone.deliveries.length, mostDeliveriesPerPhone);
    phones.set(key, phone);
    changed.add(key);
    if (delivery.shown) counts.delivered += 1;
    else if (delivery.status === null) counts.unanswered += 1;
    else counts.refused += 1;
  }
  for (const key of phones.keys()) {
    if (phones.size <= mostPhones) break;
    phones.delete(key);
    changed.delete(key);
    drawn.get(key)?.remove();
    drawn.delete(key);
  }
  planDrawing();
}

function planDrawing() {
  if (isDrawingPlanned) return;
  isDrawingPlanned = true;
  requestAnimationFrame(() => {
    isDrawingPlanned = false;
    draw();
  });
}

function draw() {
  for (const key of changed) {
    const element = drawPhone(phones.get(key), showDetails);
    const before = drawn.get(key);
    if (before === undefined) page.phones.prepend(element);
    else replace(before, element);
    drawn.set(key, element);
  }
  changed.clear();
  drawCounts();
  applyFilter();
  page.empty.hidden = phones.size > 0;
}

/** Replaces a phone. The button of a delivery that has the focus keeps it. */
function replace(before, after) {
  const id = before.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  before.replaceWith(after);
  if (id !== null) after.querySelector(`[data-id="${id}"]`)?.focus();
}

function drawCounts() {
  const entries = [
    ['Delivered', counts.delivered],
    ['Refused', counts.refused],
    ['Unanswered', counts.unanswered],
  ];
  page.counts.replaceChildren(
    ...entries.map(([name, count]) =>
      make('div', {}, make('dt', {}, name), make('dd', {}, count.toLocaleString())),
    ),
  );
}

function applyFilter() {
  const wanted = page.filter.value.trim().toLowerCase();
  let isAnyShown = false;
  for (const [key, element] of drawn) {
    const text = `${key} ${element.textContent}`.toLowerCase();
    element.hidden = !text.includes(wanted);
    isAnyShown ||= !element.hidden;
  }
  page['no-match'].hidden = isAnyShown || phones.size === 0;
}

function drawPlatforms(modes) {
  const names = { apns: 'Apple', fcm: 'Google', web: 'Web push' };
  page.platforms.replaceChildren(
    ...Object.entries(modes).map(([platform, { mode, delay_ms: delay, retry_after: wait }]) => {
      const parts = [
        modeTexts[mode],
        delay ? `${delay} ms` : '',
        wait === undefined ? '' : `retry after ${wait} s`,
      ];
      return make(
        'li',
        { className: mode === 'ok' ? 'is-normal' : 'is-odd', title: `mode: ${mode}` },
        make('strong', {}, names[platform]),
        parts.filter((part) => part !== '').join(', '),
      );
    }),
  );
}

function setLive(isLive) {
  page.live.textContent = isLive
    ? 'Live'
    : 'The sandbox does not answer. Is it running? Trying again…';
  page.live.classList.toggle('is-live', isLive);
}

function listen(source, type, handle) {
  source.addEventListener(type, ({ data }) => handle(JSON.parse(data)));
}

const source = new EventSource('api/events');
source.addEventListener('open', () => setLive(true));
source.addEventListener('error', () => setLive(false));
listen(source, 'platforms', drawPlatforms);
listen(source, 'snapshot', ({ platforms, deliveries }) => {
  forget();
  drawPlatforms(platforms);
  take(deliveries);
});
listen(source, 'deliveries', ({ isFresh, deliveries }) => {
  if (isFresh) forget();
  take(deliveries);
});

page.filter.addEventListener('input', applyFilter);
page.clear.addEventListener('click', () =>
  fetch('api/deliveries', { method: 'DELETE' }).catch(() => setLive(false)),
);
