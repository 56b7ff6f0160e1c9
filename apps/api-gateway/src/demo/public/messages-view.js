import { make, update } from './dom.js';

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const OFFERED_REACTION = { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' };

/** Unicode emoji are shown as text, custom ones by name. */
const emojiText = ({ reaction_type: type, emoji_code: code, emoji_name: name }) =>
  type === 'unicode_emoji'
    ? String.fromCodePoint(...code.split('-').map((part) => Number.parseInt(part, 16)))
    : `:${name}:`;

/** The messages of the open conversation. */
export class MessagesView {
  #element;
  #actions;
  #messages = new Map();

  /** `actions`: `react(message, emoji, isOwn)`, `edit(message)`, `remove(message)`. */
  constructor(element, actions) {
    this.#element = element;
    this.#actions = actions;
  }

  show(messages, chat) {
    this.#messages = new Map(messages.map((message) => [message.id, message]));
    this.draw(chat);
  }

  add(message) {
    this.#messages.set(message.id, message);
  }

  /** Applies an event to the messages that are shown. */
  apply(event) {
    const shown = (ids) => ids.map((id) => this.#messages.get(id)).filter(Boolean);
    if (event.type === 'delete_message')
      event.message_ids.forEach((id) => this.#messages.delete(id));
    if (event.type === 'update_message') {
      if (event.rendered_content !== undefined) {
        shown([event.message_id]).forEach((one) => (one.content = event.rendered_content));
      }
      for (const one of shown(event.message_ids)) {
        if (event.new_stream_id !== undefined) this.#messages.delete(one.id);
        if (event.subject !== undefined) one.subject = event.subject;
      }
    }
    if (event.type === 'reaction') shown([event.message_id]).forEach((one) => react(one, event));
  }

  draw(chat) {
    const isAtEnd =
      this.#element.scrollHeight - this.#element.scrollTop - this.#element.clientHeight < 80;
    let topic = null;
    const items = [];
    for (const message of [...this.#messages.values()].toSorted((a, b) => a.id - b.id)) {
      if (message.type === 'stream' && message.subject !== topic) {
        topic = message.subject;
        items.push(
          make('li', { className: 'topic', dir: 'auto' }, topic === '' ? 'general chat' : topic),
        );
      }
      items.push(this.#item(message, chat));
    }
    if (items.length === 0) items.push(make('li', { className: 'hint' }, 'No messages yet.'));
    update(this.#element, items);
    if (isAtEnd) this.#element.scrollTop = this.#element.scrollHeight;
  }

  #item(message, chat) {
    const content = make('div', { className: 'content', dir: 'auto' });
    // The gateway has sanitised the HTML, and the policy of the page forbids scripts of others.
    content.innerHTML = message.content;
    // It may scroll, which not every browser lets the keyboard do otherwise.
    for (const code of content.querySelectorAll('pre')) code.tabIndex = 0;
    for (const emoji of content.querySelectorAll('span.emoji')) showEmoji(emoji);
    const isOwn = message.sender_id === chat.userId;
    return make(
      'li',
      { className: isOwn ? 'message own' : 'message' },
      make(
        'p',
        { className: 'head' },
        make('strong', { dir: 'auto' }, message.sender_full_name),
        make('time', {}, clock.format(message.timestamp * 1000)),
        this.#tool('👍', 'React', () => this.#toggle(message, OFFERED_REACTION, chat)),
        isOwn ? this.#tool('✎', 'Edit', () => this.#actions.edit(message)) : null,
        isOwn ? this.#tool('✕', 'Delete', () => this.#actions.remove(message)) : null,
      ),
      content,
      this.#reactions(message, chat),
    );
  }

  #tool(text, label, work) {
    const button = make('button', { type: 'button', className: 'tool', ariaLabel: label }, text);
    button.addEventListener('click', work);
    return button;
  }

  #reactions(message, chat) {
    const counts = Map.groupBy(message.reactions, emojiText);
    return make(
      'p',
      { className: 'reactions' },
      [...counts].map(([text, all]) => {
        const names = all.map(({ user_id: id }) => chat.nameOf(id)).join(', ');
        const button = this.#tool(`${text} ${all.length}`, names, () =>
          this.#toggle(message, all[0], chat),
        );
        button.title = names;
        return button;
      }),
    );
  }

  #toggle({ id }, emoji, chat) {
    const message = this.#messages.get(id);
    const isOwn = message.reactions.some(
      (one) => one.user_id === chat.userId && one.emoji_code === emoji.emoji_code,
    );
    this.#actions.react(message, emoji, isOwn);
  }
}

/** An emoji of Unicode has its code as a class, and its name as text. */
function showEmoji(element) {
  const code = [...element.classList].find((name) => name.startsWith('emoji-'))?.slice(6);
  if (code !== undefined) {
    element.textContent = emojiText({ reaction_type: 'unicode_emoji', emoji_code: code });
  }
}

function react(message, { op, user_id, emoji_name, emoji_code, reaction_type }) {
  message.reactions = message.reactions.filter(
    (one) => !(one.user_id === user_id && one.emoji_code === emoji_code),
  );
  if (op === 'add') message.reactions.push({ user_id, emoji_name, emoji_code, reaction_type });
}
