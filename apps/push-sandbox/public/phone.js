import { clockTime, make, outcomeText, picture, shortToken } from './dom.js';

const bell =
  'M12 2a6 6 0 0 0-6 6v4.5L4 16v1h16v-1l-2-3.5V8a6 6 0 0 0-6-6zm-2.5 16.5a2.5 2.5 0 0 0 5 0z';
const padlock =
  'M12 2a5 5 0 0 0-5 5v3H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-8a2 2 0 0 0-2-2h-1V7a5 5 0 0 0-5-5zm-3 8V7a3 3 0 1 1 6 0v3z';
const mostRefusalsListed = 4;
const names = { apns: 'iPhone', fcm: 'Android', web: 'Browser' };
const apps = { apns: 'iPhone app', fcm: 'Android app', web: 'Web page' };

/** Draws a device as a phone with the notifications that it would show, newest first. */
export function drawPhone(phone, onOpen) {
  const shown = phone.deliveries.filter((delivery) => delivery.shown);
  const others = phone.deliveries.filter((delivery) => !delivery.shown);
  const element = make(
    'article',
    { className: `phone is-${phone.platform}` },
    phone.token === '' ? null : drawScreen(phone, shown, onOpen),
    drawCaption(phone, shown.length),
    drawRefusals(others, onOpen),
  );
  element.style.setProperty('--hue', String(hueOf(phone.token)));
  return element;
}

function drawScreen(phone, shown, onOpen) {
  const newest = phone.deliveries[0].received_at;
  return make(
    'div',
    { className: 'body' },
    make(
      'div',
      { className: 'screen' },
      make(
        'div',
        { className: 'lock' },
        make(
          'p',
          { className: 'day' },
          clockTime(newest, { weekday: 'long', day: 'numeric', month: 'long' }),
        ),
        make(
          'p',
          { className: 'clock' },
          clockTime(newest, { hour: '2-digit', minute: '2-digit', hour12: false }),
        ),
      ),
      make('ul', { className: 'notifications' }, ...drawNotifications(shown, onOpen)),
    ),
  );
}

/**
 * Newest first. As on a phone, a later notification with the same collapse key replaces an earlier one. A notification
 * fades when a later removal names its messages.
 */
function drawNotifications(shown, onOpen) {
  const replacements = new Map();
  const removed = new Set();
  const entries = [];
  for (const delivery of shown) {
    const { kind, collapseKey, messageIds } = delivery.appearance;
    if (kind === 'removal') for (const id of messageIds) removed.add(id);
    const later = collapseKey === null ? undefined : replacements.get(collapseKey);
    if (later !== undefined) later.times += 1;
    else {
      const isGone = kind !== 'removal' && messageIds.some((id) => removed.has(id));
      const entry = { delivery, isGone, times: 1 };
      if (collapseKey !== null) replacements.set(collapseKey, entry);
      entries.push(entry);
    }
  }
  return entries.map((entry) => make('li', {}, drawNotification(entry, onOpen)));
}

function drawNotification({ delivery, isGone, times }, onOpen) {
  const { kind, title, subtitle, body, note } = delivery.appearance;
  const isQuiet = kind === 'removal' || kind === 'silent';
  const button = make('button', {
    type: 'button',
    className: `notification is-${kind}${isGone ? ' is-gone' : ''}`,
    title: isGone ? 'Removed: read or deleted' : 'Show headers and payload',
  });
  button.dataset.id = delivery.id;
  button.addEventListener('click', () => onOpen(delivery));
  const time = make('time', {}, clockTime(delivery.received_at, { timeStyle: 'short' }));
  if (isQuiet) {
    button.append(make('span', { className: 'quiet' }, title), time);
    return button;
  }
  button.append(
    make('span', { className: 'icon' }, picture(kind === 'encrypted' ? padlock : bell, 'glyph')),
    make(
      'span',
      { className: 'words' },
      make(
        'span',
        { className: 'heading' },
        make('span', { className: 'app' }, delivery.topic ?? apps[delivery.platform]),
        times > 1
          ? make(
              'span',
              { className: 'times', title: `Replaced ${times - 1} earlier` },
              `×${times}`,
            )
          : null,
        time,
      ),
      title === '' ? null : make('span', { className: 'title' }, title),
      subtitle === '' ? null : make('span', { className: 'subtitle' }, subtitle),
      body === '' ? null : make('span', { className: 'text' }, body),
      note === '' ? null : make('span', { className: 'sealed' }, note),
    ),
  );
  return button;
}

function drawCaption({ platform, token }, count) {
  const name = names[platform];
  const title = token === '' ? `${name}: requests without a token` : name;
  return make(
    'div',
    { className: 'caption' },
    make('strong', {}, title),
    token === '' ? null : make('code', {}, shortToken(token)),
    make('span', {}, count === 1 ? '1 delivery' : `${count} deliveries`),
  );
}

function drawRefusals(others, onOpen) {
  if (others.length === 0) return null;
  const rest = others.length - mostRefusalsListed;
  return make(
    'ul',
    { className: 'refusals' },
    ...others.slice(0, mostRefusalsListed).map((delivery) => {
      const button = make(
        'button',
        { type: 'button', className: delivery.status === null ? 'is-unanswered' : 'is-refused' },
        make('span', {}, outcomeText(delivery)),
        make('time', {}, clockTime(delivery.received_at)),
      );
      button.dataset.id = delivery.id;
      button.addEventListener('click', () => onOpen(delivery));
      return make('li', {}, button);
    }),
    rest > 0 ? make('li', { className: 'rest' }, `and ${rest} more without delivery`) : null,
  );
}

/** The same wallpaper for the same phone, whenever it is drawn; from teal to rose. */
function hueOf(token) {
  let sum = 0;
  for (const character of token) sum = (sum * 31 + character.codePointAt(0)) % 1009;
  return 175 + (sum % 165);
}
