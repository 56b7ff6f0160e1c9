export const platformNames = { apns: 'Apple (APNs)', fcm: 'Google (FCM)', web: 'Web Push' };

export const number = (value) => value.toLocaleString();

/** A count and its noun. */
export const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A time of today without its date, any other time with it. Times are UNIX milliseconds. */
export function clockTime(at) {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(undefined, {
    ...(isToday ? {} : { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  }).format(time);
}

/** A time as an element whose tooltip has the full date. */
export function timeElement(at) {
  const element = document.createElement('time');
  element.dateTime = new Date(at).toISOString();
  element.title = new Date(at).toLocaleString();
  element.textContent = clockTime(at);
  return element;
}

/** A duration in its two largest units. */
export function duration(ms) {
  if (ms > 0 && ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return both(minutes, 'min', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return both(hours, 'h', minutes % 60, 'min');
  return both(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** A duration in its largest unit only, for narrow places. */
export const roughDuration = (ms) => duration(ms).split(' ', 2).join(' ');

const both = (great, greatUnit, small, smallUnit) =>
  `${great} ${greatUnit}${small === 0 ? '' : ` ${small} ${smallUnit}`}`;

/** The words and the colour of each state of a delivery. */
export const stateWords = {
  pending: ['pending', 'odd'],
  delivered: ['delivered', 'good'],
  dead_token: ['dead token', 'bad'],
  rejected: ['refused', 'bad'],
  expired: ['expired', 'bad'],
  revoked: ['revoked', ''],
  withdrawn: ['withdrawn', ''],
};

/** Explanations of the states whose names need one. */
export const stateMeanings = {
  dead_token: 'the phone must register again',
  rejected: 'it is a dead letter, unless an operator has retried or dismissed it',
  expired: 'it waited longer than its time to live and was not sent late',
  revoked: 'the phone was removed, or its account logged out, before sending',
  withdrawn: 'its message was read or gone before sending',
};
