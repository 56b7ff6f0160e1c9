import { channelPlace, directPlace } from './chat-state.js';
import { make } from './dom.js';

/** Draws the list of conversations; `open` is called with the chosen one. */
export function drawPlaces(element, chat, current, open) {
  const now = Date.now() / 1000;
  const entry = (place, ...label) => {
    const unread = chat.unreadIn(place).length;
    const button = make(
      'button',
      { type: 'button', className: place.key === current?.key ? 'place current' : 'place' },
      ...label,
      unread === 0 ? null : make('span', { className: 'unread', title: 'unread' }, String(unread)),
    );
    button.addEventListener('click', () => open(place));
    return make('li', {}, button);
  };
  const channels = [...chat.channels.values()].toSorted((a, b) => a.name.localeCompare(b.name));
  const people = [...chat.people.values()].filter(
    ({ user_id: id, is_bot: isBot }) => id !== chat.userId && !isBot,
  );
  const groups = [...chat.direct.values()].filter(({ userIds }) => userIds.length > 1);
  element.replaceChildren(
    make('h2', {}, 'Channels'),
    make(
      'ul',
      {},
      channels.map((one) => entry(channelPlace(one.stream_id), `# ${one.name}`)),
    ),
    make('h2', {}, 'People'),
    make(
      'ul',
      {},
      people.map(({ user_id: id, full_name: name }) =>
        entry(directPlace([id]), dot(chat.presenceOf(id, now)), name),
      ),
      groups.map((place) => entry(place, place.userIds.map((id) => chat.nameOf(id)).join(', '))),
    ),
  );
}

const dot = (status) => make('span', { className: `dot ${status}`, title: status });
