import { make, part, redraw } from './dom.js';
import { clockTime, duration, timeElement } from './format.js';

/** Says first what is wrong, and what to do about it. */
export function drawTroubles(troubles, now) {
  redraw(part('troubles'), troubles.length === 0 ? 'none' : troubles, () =>
    troubles.length === 0
      ? make(
          'p',
          { className: 'trouble well' },
          make('strong', {}, 'All is well.'),
          ' Notifications are on their way as they come.',
        )
      : troubles.map((trouble) => drawTrouble(trouble)),
  );
  for (const element of document.querySelectorAll('[data-since]')) {
    element.textContent = `(${duration(Math.max(0, now - Number(element.dataset.since)))})`;
  }
  for (const element of document.querySelectorAll('[data-until]')) {
    const left = Number(element.dataset.until) - now;
    element.textContent = left > 0 ? `tries again in ${duration(left)}` : 'tries again now';
  }
}

function drawTrouble({ severity, text, advice, since, until }) {
  return make(
    'div',
    { className: `trouble ${severity}` },
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

/** What changes with every look: read out neither by itself nor with what stands around it. */
function ticking(data) {
  const element = make('span', { ariaHidden: 'true' });
  Object.assign(element.dataset, data);
  return element;
}
