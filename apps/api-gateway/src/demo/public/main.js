import { Api, AWAY, pause } from './api.js';
import { channelPlace, ChatState } from './chat-state.js';
import { make, part } from './dom.js';
import { MessagesView } from './messages-view.js';
import { drawPlaces } from './places-view.js';
import { Typing } from './typing.js';
import { obstacleToWebPush, registerWebPush } from './web-push.js';

const PRESENCE_INTERVAL_MS = 60_000;
const REDRAW_INTERVAL_MS = 20_000;
const REFUSED =
  'Open the whole address that npm start prints, with the secret at its end; it is also in .data/demo.json.';
const STORED_ACCOUNT = 'carillon-demo-account';

/** A signed-in account with its page. */
class Session {
  #api;
  #account;
  #stop = new AbortController();
  #chat = null;
  /** Of the server, for Web Push; null without one. */
  #webPushKey = null;
  #place = null;
  #edited = null;
  #view;
  #typing;

  constructor(account) {
    this.#account = account;
    this.#api = new Api(account);
    this.#view = new MessagesView(part('messages'), {
      react: (message, emoji, isOwn) => this.#react(message, emoji, isOwn),
      edit: (message) => this.#startEdit(message),
      remove: (message) => this.#attempt('DELETE', `/messages/${message.id}`),
    });
    this.#typing = new Typing(part('typing'), (op) => this.#reportTyping(op));
  }

  async run() {
    const { signal } = this.#stop;
    // Also removes the listeners of the account before.
    for (const id of ['channels', 'people', 'messages']) part(id).replaceChildren();
    part('title').textContent = this.#account.full_name;
    document.title = `${this.#account.full_name} – Carillon demo`;
    on(signal, part('composer'), 'submit', (event) => this.#submit(event));
    on(signal, part('content'), 'keydown', (event) => this.#useKey(event));
    on(signal, part('content'), 'input', () => this.#typing.wrote());
    on(signal, part('sign-out'), 'click', () => this.#stop.abort());
    on(signal, part('phone'), 'click', () => this.#registerPhone());
    on(signal, part('browser'), 'click', () => this.#registerBrowser());
    on(signal, document, 'visibilitychange', () => this.#reportPresence());
    const timers = [
      setInterval(() => this.#reportPresence(), PRESENCE_INTERVAL_MS),
      setInterval(() => this.#drawPlaces(), REDRAW_INTERVAL_MS),
    ];
    try {
      await this.#api.follow({
        signal,
        onState: (state) => this.#begin(state),
        onEvents: (events) => this.#apply(events),
        onTrouble: ({ message }) => this.#showStatus(`${message} Trying again…`),
      });
    } finally {
      timers.forEach(clearInterval);
    }
  }

  async #begin(state) {
    this.#chat = new ChatState(state);
    this.#webPushKey = state.server_web_push_public_key ?? null;
    this.#typing.begin(this.#chat);
    this.#showStatus('Live');
    await this.#reportPresence();
    const [first] = this.#chat.channels.values();
    const place = this.#place ?? (first === undefined ? null : channelPlace(first.stream_id));
    part('composer').hidden = place === null;
    if (place !== null) await this.#open(place);
    else part('place').textContent = 'This account has no channel. Choose a person.';
  }

  #showStatus(text) {
    part('live').textContent = text;
  }

  #apply(events) {
    this.#showStatus('Live');
    for (const event of events) {
      this.#chat.apply(event);
      this.#view.apply(event);
      this.#typing.apply(event, this.#place);
      if (event.type === 'message' && this.#chat.placeOf(event.message).key === this.#place?.key) {
        this.#view.add(event.message);
      }
    }
    this.#drawPlaces();
    if (this.#place === null) return;
    this.#view.draw(this.#chat);
    void this.#markAsRead();
  }

  #drawPlaces() {
    if (this.#chat === null) return;
    drawPlaces(this.#chat, this.#place, (place) => void this.#open(place));
  }

  async #open(place) {
    this.#place = place;
    this.#endEdit();
    this.#typing.clear();
    const { channelId, userIds } = place;
    part('place').textContent =
      channelId === undefined
        ? userIds.map((id) => this.#chat.nameOf(id)).join(', ')
        : `# ${this.#chat.channels.get(channelId)?.name ?? 'no longer subscribed'}`;
    part('topic').hidden = channelId === undefined;
    part('composer').hidden = false;
    this.#drawPlaces();
    const answer = await this.#attempt('GET', '/messages', {
      anchor: 'newest',
      num_before: 50,
      num_after: 0,
      narrow: [narrowOf(place)],
      allow_empty_topic_name: true,
    });
    if (answer === null || this.#place !== place) return;
    this.#view.show(answer.messages, this.#chat);
    part('topic').value = answer.messages.at(-1)?.subject ?? '';
    part('messages').scrollTop = part('messages').scrollHeight;
    await this.#markAsRead();
  }

  /** Marks what the window shows as read. */
  async #markAsRead() {
    if (document.hidden) return;
    const messages = this.#chat.unreadIn(this.#place);
    if (messages.length === 0) return;
    await this.#attempt('POST', '/messages/flags', { messages, op: 'add', flag: 'read' });
  }

  #useKey(event) {
    if (event.key === 'Escape') this.#endEdit();
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    part('composer').requestSubmit();
  }

  async #submit(event) {
    event.preventDefault();
    const content = part('content').value;
    if (content.trim() === '') return;
    const answer =
      this.#edited === null
        ? await this.#attempt('POST', '/messages', { ...this.#destination(), content })
        : await this.#attempt('PATCH', `/messages/${this.#edited.id}`, { content });
    if (answer === null) return;
    this.#typing.sent();
    this.#endEdit();
  }

  #destination() {
    const { channelId, userIds } = this.#place;
    if (channelId === undefined) {
      return { type: 'direct', to: userIds };
    }
    return { type: 'channel', to: channelId, topic: part('topic').value };
  }

  async #startEdit({ id }) {
    const answer = await this.#attempt('GET', `/messages/${id}`, { apply_markdown: false });
    if (answer === null) return;
    this.#edited = answer.message;
    part('content').value = answer.message.content;
    part('composer').classList.add('editing');
    part('send').textContent = 'Save';
    part('content').focus();
  }

  #endEdit() {
    this.#edited = null;
    part('content').value = '';
    part('composer').classList.remove('editing');
    part('send').textContent = 'Send';
  }

  #react(message, { emoji_name, emoji_code, reaction_type }, isOwn) {
    const emoji = { emoji_name, emoji_code, reaction_type };
    return this.#attempt(isOwn ? 'DELETE' : 'POST', `/messages/${message.id}/reactions`, emoji);
  }

  #reportTyping(op) {
    const { channelId, userIds } = this.#place;
    return this.#attempt('POST', '/typing', {
      op,
      ...(channelId === undefined
        ? { type: 'direct', to: userIds }
        : { type: 'channel', stream_id: channelId, topic: part('topic').value }),
    });
  }

  async #reportPresence() {
    const status = document.hidden ? 'idle' : 'active';
    const answer = await this.#attempt('POST', '/users/me/presence', {
      status,
      slim_presence: true,
      last_update_id: -1,
    });
    if (answer === null || this.#chat === null) return;
    this.#chat.addPresences(answer.presences);
    this.#drawPlaces();
  }

  async #registerPhone() {
    const token = `demo-phone-of-${this.#account.name}`;
    const answer = await this.#attempt('POST', '/users/me/android_gcm_reg_id', { token });
    if (answer === null || !(await this.#notifyAlways())) return;
    part('phone').disabled = true;
    this.#showStatus('Write from another account, and look at the phone.');
  }

  /** Otherwise the devices of people who are at their computer stay silent. */
  async #notifyAlways() {
    const settings = { enable_online_push_notifications: true };
    return (await this.#attempt('PATCH', '/settings', settings)) !== null;
  }

  /** Registers this browser for Web Push where it allows that, and says why where not. */
  async #registerBrowser() {
    const obstacle = obstacleToWebPush(this.#webPushKey);
    if (obstacle !== null) {
      part('problem').textContent = obstacle;
      return;
    }
    part('browser').disabled = true;
    try {
      this.#showStatus('Waiting for the push service of this browser…');
      const send = (...request) => this.#attempt(...request);
      const isRegistered =
        (await registerWebPush(this.#webPushKey, send)) && (await this.#notifyAlways());
      this.#showStatus(isRegistered ? 'This browser is notified.' : 'Live');
      part('browser').disabled = isRegistered;
    } catch (error) {
      this.#showStatus('Live');
      part('problem').textContent = error.message;
      part('browser').disabled = false;
    }
  }

  /** Sends a request and shows its error; null after an error. */
  async #attempt(method, path, parameters) {
    try {
      const answer = await this.#api.send(method, path, parameters);
      part('problem').textContent = '';
      return answer;
    } catch (error) {
      part('problem').textContent = error.message;
      return null;
    }
  }
}

const narrowOf = ({ channelId, userIds }) =>
  channelId === undefined
    ? { operator: 'dm', operand: userIds }
    : { operator: 'channel', operand: channelId };

const on = (signal, target, type, listener) => target.addEventListener(type, listener, { signal });

/** Lets the visitor choose an account. */
async function chooseAccount(accounts, problem) {
  part('chat').hidden = true;
  part('sign-in').hidden = false;
  part('sign-in-problem').textContent = problem;
  return new Promise((resolve) => {
    part('accounts').replaceChildren(
      ...accounts.map((account) => {
        const button = make(
          'button',
          { type: 'button' },
          make('strong', {}, account.full_name),
          ` ${account.role}`,
        );
        button.addEventListener('click', () => resolve(account));
        return make('li', {}, button);
      }),
    );
  });
}

/** Reads the accounts and the address of the sandbox; while there is no answer, the page says so. */
async function readAccounts() {
  for (;;) {
    // The fragment of the address that npm start prints. Browsers send it to no server.
    const headers = { 'X-Demo-Secret': location.hash.slice(1) };
    const response = await fetch('/demo/accounts', { headers }).catch(() => null);
    if (response?.ok) return response.json();
    part('sign-in').hidden = false;
    part('sign-in-problem').textContent = response?.status === 404 ? REFUSED : AWAY;
    await pause(2000);
  }
}

async function main() {
  let problem = '';
  for (;;) {
    // Asked again for each sign-in: a key may have been replaced.
    const { accounts, sandboxUrl } = await readAccounts();
    part('inbox').href = sandboxUrl;
    const stored = sessionStorage.getItem(STORED_ACCOUNT);
    const account =
      accounts.find(({ name }) => name === stored) ?? (await chooseAccount(accounts, problem));
    sessionStorage.setItem(STORED_ACCOUNT, account.name);
    part('sign-in').hidden = true;
    part('chat').hidden = false;
    part('phone').disabled = false;
    part('browser').disabled = false;
    problem = await new Session(account).run().then(
      () => '',
      (error) => error.message,
    );
    sessionStorage.removeItem(STORED_ACCOUNT);
  }
}

await main();
