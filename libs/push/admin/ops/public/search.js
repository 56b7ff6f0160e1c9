import { get } from './api.js';
import { make, nothing, part, table } from './dom.js';
import { drawNotification } from './timeline.js';

const FOUND = 20;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const FINGERPRINT = /^(?=.*[a-f])[0-9a-f]{12}$/i;
const FINGERPRINT_DIGITS = 12;
/** Every token is longer. */
const SHORTEST_TOKEN = 32;
const APPLE_TOKEN = /^[0-9a-f]+$/i;

const placeholders = {
  notification: '0198c0de-…',
  message: 'such as 1234',
  user: 'such as 42',
  email: 'somebody@example.org',
  device: 'such as 1007',
  fingerprint: 'twelve hexadecimal digits, or the whole token',
};

/** Handles the form, and changes of the hash of the address, which makes a search a link. */
export function listenForQuestions() {
  const [form, subject, asked] = [part('ask'), part('subject'), part('asked')];
  subject.addEventListener('change', showSubject);
  asked.addEventListener('input', () => guessSubject(asked.value.trim()));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const query = await questionOf(subject.value, asked.value.trim()).catch(showProblem);
    if (query === undefined) return;
    const hash = `#${new URLSearchParams(query)}`;
    if (location.hash === hash) await answerHash();
    else location.hash = hash;
  });
  addEventListener('hashchange', answerHash);
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.matches('input, select, textarea')) return;
    event.preventDefault();
    asked.select();
    asked.focus();
  });
  showSubject();
}

function showSubject() {
  const { value } = part('subject');
  part('realm').hidden = value !== 'email' && value !== 'message';
  part('of').hidden = value !== 'message';
  part('of').required = value === 'message';
  part('asked').placeholder = placeholders[value];
}

function guessSubject(text) {
  const guess = UUID.test(text)
    ? 'notification'
    : text.includes('@')
      ? 'email'
      : FINGERPRINT.test(text) || text.length >= SHORTEST_TOKEN
        ? 'fingerprint'
        : null;
  if (guess === null) return;
  part('subject').value = guess;
  showSubject();
}

/** The subjects that are found by a text other than a number. */
const withoutNumber = new Set(['notification', 'email']);
const NUMBER = /^\d{1,10}$/;

async function questionOf(subject, text) {
  if (withoutNumber.has(subject) && NUMBER.test(text)) return { user: text };
  const realm = part('realm').value.trim();
  if (subject === 'email') return { email: text, realm };
  if (subject === 'message') return { message: text, of: part('of').value.trim(), realm };
  const isToken = subject === 'fingerprint' && text.length >= SHORTEST_TOKEN;
  return { [subject]: isToken ? await fingerprintOf(text) : text };
}

const INSECURE =
  'Without HTTPS the browser makes no fingerprint. Search for the one that this prints: printf %s TOKEN | sha256sum | cut -c1-12 (an Apple token in lower case).';

/** As the server makes it: tokens of Apple are in lower case there. */
async function fingerprintOf(token) {
  if (crypto.subtle === undefined) throw new Error(INSECURE);
  const text = APPLE_TOKEN.test(token) ? token.toLowerCase() : token;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0'));
  return hex.join('').slice(0, FINGERPRINT_DIGITS);
}

/** The number of searches: the answer to an earlier one may arrive after that to a later one. */
let searches = 0;

/** Makes the search that the hash of the address names, if it names one. */
export async function answerHash() {
  const query = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const subject = Object.keys(placeholders).find((name) => name in query);
  if (subject === undefined) return;
  part('subject').value = subject;
  part('asked').value = query[subject];
  part('realm').value = query.realm ?? '';
  part('of').value = query.of ?? '';
  showSubject();
  part('search').scrollIntoView({ block: 'start' });
  searches += 1;
  const search = searches;
  part('found').replaceChildren(nothing('Looking…'));
  try {
    const { notifications, explanation } = await get('api/notifications', {
      ...query,
      limit: FOUND,
    });
    if (search !== searches) return;
    part('found').replaceChildren(
      ...(explanation === undefined
        ? drawFound(notifications, subject)
        : drawExplanation(explanation, notifications)),
    );
  } catch (error) {
    if (search === searches) showProblem(error);
  }
}

function showProblem({ message }) {
  part('found').replaceChildren(make('p', { className: 'problem', role: 'alert' }, message));
}

/** The rule that decided, and the rules or the notifications. */
function drawExplanation({ text, rules }, notifications) {
  const drawn = notifications.map((notification) => drawNotification(notification, true));
  if (drawn.length > 0 || rules.length === 0) return [make('p', {}, text), ...drawn];
  const answers = new Map([
    [true, 'yes'],
    [false, 'no'],
    [null, 'not known'],
  ]);
  const rows = rules.map(({ rule, holds, detail }) => [rule, answers.get(holds), detail]);
  return [make('p', {}, text), table(['Rule', 'Holds', 'Detail'], rows)];
}

const notKnown = {
  notification: 'No notification has this id, or it is older than the stored history.',
  user: 'The stored history has no notification for this account, or the account does not exist.',
  email: 'The stored history has no notification for this account.',
  device: 'The stored history has no notification for this device.',
  fingerprint: 'The stored history has no notification for this token.',
};

function drawFound(notifications, subject) {
  if (notifications.length === 0) return [nothing(notKnown[subject])];
  const drawn = notifications.map((notification, index) =>
    drawNotification(notification, index === 0),
  );
  return notifications.length < FOUND ? drawn : [...drawn, nothing(`The newest ${FOUND}.`)];
}
