import { get, post } from './api.js';
import { make, nothing, part, redraw, table, workButton } from './dom.js';
import { number, platformNames, timeElement } from './format.js';
import { attempt, confirmed } from './toast.js';

const SHOWN = 50;

const letters = (count) => (count === 1 ? '1 dead letter' : `${number(count)} dead letters`);

const retry = (choice, look) =>
  attempt(
    () => post('api/dead-letters/requeue', choice),
    ({ requeued }) =>
      requeued === 0
        ? 'Nothing was retried: the ledger no longer has these notifications. Dismiss them.'
        : `${letters(requeued)} sent again.`,
  ).then(look);

async function dismiss(choice, question, look) {
  if (!(await confirmed(question, 'Dismiss'))) return;
  await attempt(
    () => post('api/dead-letters/dismiss', choice),
    ({ dismissed }) => `${letters(dismissed)} dismissed.`,
  );
  await look();
}

/** Draws the dead letters by their reason. The list of a reason is fetched when it is opened. */
export function drawDeadLetters(counts, look) {
  redraw(part('dead-letters-tools'), counts?.length ?? 0, (reasons) =>
    reasons === 0 ? [] : toolsForAll(look),
  );
  redraw(part('letters'), counts, () => {
    if (counts === null) return nothing('Unknown: PostgreSQL does not answer.');
    if (counts.length === 0) return nothing('No dead letters: no provider has refused a message.');
    return [...byReason(counts)].map(([reason, group]) => drawReason(reason, group, look));
  });
}

const toolsForAll = (look) => [
  workButton('Retry all', { work: () => retry({ all: 'true' }, look) }),
  workButton('Dismiss all', {
    className: 'harm',
    work: () => dismiss({ all: 'true' }, 'Dismiss every dead letter?', look),
  }),
];

function byReason(counts) {
  const groups = new Map();
  for (const { reason, platform, letters: count, oldestAt } of counts) {
    const group = groups.get(reason) ?? { platforms: [], count: 0, oldestAt };
    group.platforms.push(platformNames[platform]);
    group.count += count;
    group.oldestAt = Math.min(group.oldestAt, oldestAt);
    groups.set(reason, group);
  }
  return groups;
}

/** The open reasons and their lists, which are kept when the page is redrawn. */
const opened = new Set();
const lists = new Map();

function drawReason(reason, { platforms, count, oldestAt }, look) {
  const list = lists.get(reason) ?? make('div', { className: 'letter-list' });
  lists.set(reason, list);
  const which = count === 1 ? 'it' : `these ${number(count)}`;
  const details = make(
    'details',
    { className: 'reason' },
    make(
      'summary',
      { 'data-name': reason },
      make('strong', {}, reason),
      make('span', { className: 'count' }, letters(count)),
      make('span', { className: 'soft' }, platforms.join(', ')),
      make('span', { className: 'soft' }, 'oldest ', timeElement(oldestAt)),
    ),
    make(
      'div',
      { className: 'tools' },
      workButton(`Retry ${which}`, {
        label: `Retry ${which} with the reason ${reason}`,
        work: () => retry({ reason }, look),
      }),
      workButton(`Dismiss ${which}`, {
        className: 'harm',
        label: `Dismiss ${which} with the reason ${reason}`,
        work: () =>
          dismiss({ reason }, `Dismiss ${letters(count)} with the reason ${reason}?`, look),
      }),
    ),
    list,
  );
  details.addEventListener('toggle', () => {
    if (!details.open) return opened.delete(reason);
    opened.add(reason);
    return showLetters(list, reason, count, look);
  });
  details.open = opened.has(reason);
  return details;
}

async function showLetters(list, reason, count, look) {
  if (list.childElementCount === 0) list.append(nothing('Looking…'));
  try {
    const { deadLetters } = await get('api/dead-letters', { reason, limit: SHOWN });
    list.replaceChildren(
      table(
        ['When', 'Platform', 'Kind', 'Account', 'Token', 'Content', 'Actions'],
        deadLetters.map((letter) => letterCells(letter, look)),
      ),
      ...(count > deadLetters.length
        ? [nothing(`The newest ${deadLetters.length} of ${number(count)}.`)]
        : []),
    );
  } catch (error) {
    list.replaceChildren(nothing(error.message));
  }
}

function letterCells({ id, notificationId, ...letter }, look) {
  return [
    timeElement(letter.createdAt),
    platformNames[letter.platform],
    letter.kind,
    make('a', { href: `#user=${letter.userId}` }, String(letter.userId)),
    letter.fingerprint === null
      ? '–'
      : make(
          'a',
          { href: `#fingerprint=${letter.fingerprint}`, className: 'mono' },
          letter.fingerprint,
        ),
    make(
      'details',
      {},
      make('summary', {}, 'Payload'),
      make('pre', { tabIndex: 0 }, JSON.stringify(letter.payload, null, 2)),
    ),
    make(
      'span',
      { className: 'tools' },
      make('a', { href: `#notification=${notificationId}` }, 'History'),
      workButton('Retry', { work: () => retry({ ids: id }, look) }),
      workButton('Dismiss', {
        className: 'harm',
        work: () => dismiss({ ids: id }, 'Dismiss this dead letter?', look),
      }),
    ),
  ];
}
