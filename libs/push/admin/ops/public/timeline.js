import { make, sign } from './dom.js';
import {
  clockTime,
  duration,
  number,
  platformNames,
  stateMeanings,
  stateWords,
  timeElement,
} from './format.js';

const kinds = { test: 'Test', message: 'Message', remove: 'Removal' };

const MAX_MESSAGES = 5;

/** One notification: the time of its acceptance, and the result for each device. */
export function drawNotification(notification, isOpen) {
  const { id, kind, userId, messageIds, acceptedAt, expiresAt, states, deliveries } = notification;
  const all = Object.values(states).reduce((sum, count) => sum + count, 0);
  return make(
    'details',
    { className: 'notification', open: isOpen },
    make(
      'summary',
      {},
      make('strong', {}, kinds[kind] ?? kind),
      messageIds.length === 0
        ? null
        : make('span', { className: 'soft' }, messagesText(messageIds)),
      timeElement(acceptedAt),
      make('span', {}, ...stateSigns(states)),
      make('span', { className: 'soft' }, `account ${userId}`),
      make('code', { className: 'soft' }, id),
    ),
    ...deliveries.map((delivery) => drawDelivery(delivery, { acceptedAt, expiresAt })),
    ...notification.receipts.map((receipt) => drawReceipt(receipt, acceptedAt)),
    all > deliveries.length
      ? make(
          'p',
          { className: 'nothing' },
          `${number(deliveries.length)} of its ${number(all)} devices.`,
        )
      : null,
  );
}

const messagesText = (ids) =>
  `message ${ids.slice(0, MAX_MESSAGES).join(', ')}${ids.length > MAX_MESSAGES ? ', …' : ''}`;

function stateSigns(states) {
  const entries = Object.entries(states);
  if (entries.length === 0) return [sign('no device')];
  return entries.map(([state, count]) => {
    const [words, tone] = stateWords[state] ?? [state, ''];
    return sign(count === 1 ? words : `${number(count)} ${words}`, tone);
  });
}

function drawDelivery(delivery, { acceptedAt, expiresAt }) {
  const { deviceId, platform, appId, fingerprint } = delivery;
  return make(
    'section',
    { className: 'delivery' },
    make(
      'h3',
      {},
      `${platformNames[platform]}, device `,
      make('a', { href: `#device=${deviceId}` }, String(deviceId)),
      appId === null ? '' : `, ${appId}`,
      fingerprint === null
        ? ''
        : make('a', { className: 'mono', href: `#fingerprint=${fingerprint}` }, fingerprint),
    ),
    make('ol', { className: 'timeline' }, ...stepsOf(delivery, acceptedAt, expiresAt)),
  );
}

/** What a phone has told, by its own clock. */
function drawReceipt({ deviceId, ...times }, acceptedAt) {
  const told = [
    ['Received', times.receivedAt],
    ['Displayed', times.displayedAt],
    ['Opened', times.openedAt],
    ['Dismissed', times.dismissedAt],
  ].filter(([, at]) => at !== null);
  return make(
    'section',
    { className: 'delivery' },
    make('h3', {}, deviceId === null ? 'Told by a phone' : `Told by device ${deviceId}`),
    make(
      'ol',
      { className: 'timeline' },
      ...told.map(([event, at]) => step(at, acceptedAt, '', event)),
    ),
  );
}

function stepsOf(delivery, acceptedAt, expiresAt) {
  const attempts = delivery.history.map(({ at, reason, next }) =>
    step(at, acceptedAt, 'odd', `Attempt failed: ${reason}`, next && `again at ${clockTime(next)}`),
  );
  return [
    step(acceptedAt, acceptedAt, '', 'Accepted', `expires at ${clockTime(expiresAt)}`),
    ...attempts,
    lastStep(delivery, acceptedAt),
  ];
}

function lastStep({ state, reason, endedAt, dueAt, attempts }, acceptedAt) {
  const [words, tone] = stateWords[state] ?? [state, ''];
  const tries = attempts === 1 ? '1 attempt' : `${number(attempts)} attempts`;
  if (endedAt !== null) {
    const why = reason === null ? '' : `: ${reason}`;
    const meaning = stateMeanings[state];
    const remark = meaning === undefined ? tries : `${tries}; ${meaning}`;
    return step(endedAt, acceptedAt, tone, `Ended as ${words}${why}`, remark);
  }
  const due = dueAt === null || dueAt <= Date.now() ? 'queued' : `due at ${clockTime(dueAt)}`;
  const why = reason === null ? '' : `last attempt failed: ${reason}, `;
  return make('li', { className: tone }, 'Pending: ', why, due, ` (${tries})`);
}

const step = (at, acceptedAt, tone, text, remark) =>
  make(
    'li',
    { className: tone },
    timeElement(at),
    make('span', { className: 'after' }, at === acceptedAt ? '' : `+${duration(at - acceptedAt)}`),
    make('span', {}, text),
    remark ? make('span', { className: 'soft' }, remark) : null,
  );
