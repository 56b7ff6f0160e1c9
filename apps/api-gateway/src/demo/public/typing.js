import { channelPlace, directPlace } from './chat-state.js';

/** Reports that the user is typing, at most this often. */
const REPORT_INTERVAL_MS = 10_000;

/** Reports that the user of the page is typing, and shows the names of others who are. */
export class Typing {
  #element;
  #report;
  #chat = null;
  #reportedAt = 0;
  /** The names of people who are typing in the open conversation, with the timers of their expiry. */
  #writers = new Map();

  constructor(element, report) {
    this.#element = element;
    this.#report = report;
  }

  begin(chat) {
    this.#chat = chat;
    this.clear();
  }

  wrote() {
    if (Date.now() - this.#reportedAt < REPORT_INTERVAL_MS) return;
    this.#reportedAt = Date.now();
    this.#report('start');
  }

  sent() {
    if (this.#reportedAt === 0) return;
    this.#reportedAt = 0;
    this.#report('stop');
  }

  clear() {
    for (const timer of this.#writers.values()) clearTimeout(timer);
    this.#writers.clear();
    this.#draw();
  }

  /** Applies a typing event of the open conversation; a message ends the typing of its sender. */
  apply(event, place) {
    if (event.type === 'message') this.#end(event.message.sender_id);
    if (event.type !== 'typing' || this.#placeOf(event).key !== place?.key) return;
    const { user_id: id } = event.sender;
    this.#end(id);
    if (event.op === 'start' && id !== this.#chat.userId) {
      this.#writers.set(
        id,
        setTimeout(() => this.#end(id), this.#chat.typingExpiryMs),
      );
    }
    this.#draw();
  }

  #placeOf({ message_type: type, stream_id: channelId, recipients = [] }) {
    if (type === 'stream') return channelPlace(channelId);
    const ids = recipients.map(({ user_id: id }) => id);
    return directPlace(ids.filter((id) => id !== this.#chat.userId));
  }

  #end(id) {
    clearTimeout(this.#writers.get(id));
    this.#writers.delete(id);
    this.#draw();
  }

  #draw() {
    const names = [...this.#writers.keys()].map((id) => this.#chat.nameOf(id));
    this.#element.textContent = names.length === 0 ? '' : `${names.join(' and ')} typing…`;
  }
}
