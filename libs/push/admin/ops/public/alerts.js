import { make, part, redraw } from './dom.js';
import { clockTime, duration, timeElement } from './format.js';

/** Draws the alerts above the rest of the page, with advice. */
export function drawAlerts(alerts, now) {
  redraw(part('alerts'), alerts.length === 0 ? 'none' : alerts, () =>
    alerts.length === 0
      ? make(
          'p',
          { className: 'alert well' },
          make('strong', {}, 'All is well.'),
          ' No alert is active.',
        )
      : alerts.map((alert) => drawAlert(alert)),
  );
  for (const element of document.querySelectorAll('[data-since]')) {
    element.textContent = `(${duration(Math.max(0, now - Number(element.dataset.since)))})`;
  }
  for (const element of document.querySelectorAll('[data-until]')) {
    const left = Number(element.dataset.until) - now;
    element.textContent = left > 0 ? `tries again in ${duration(left)}` : 'tries again now';
  }
}

function drawAlert({ severity, text, advice, since, until }) {
  return make(
    'div',
    { className: `alert ${severity}` },
    make('strong', {}, severity === 'alarm' ? 'Alarm. ' : 'Note. '),
    `${text} `,
    since === null
      ? null
      : make(
          'span',
          { className: 'when' },
          'since ',
          timeElement(since),
          ' ',
          ticking({ since: String(since) }),
        ),
    until === null
      ? null
      : make(
          'span',
          { className: 'when', title: clockTime(until) },
          ticking({ until: String(until) }),
        ),
    make('p', {}, advice),
  );
}

/** A text that changes with each refresh. It is hidden from screen readers, which would read it each time. */
function ticking(data) {
  const element = make('span', { ariaHidden: 'true' });
  Object.assign(element.dataset, data);
  return element;
}
