import { channelPlace, directPlace } from './chat-state.js';
import { make, part, update } from './dom.js';

/** Draws the lists of conversations; `open` is called with the chosen one. */
export function drawPlaces(chat, current, open) {
  const now = Date.now() / 1000;
  const entry = (place, ...label) => {
    const unread = chat.unreadIn(place).length;
    const button = make(
      'button',
      { type: 'button', className: 'place', ariaCurrent: String(place.key === current?.key) },
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
  update(
    part('channels'),
    channels.map((one) => entry(channelPlace(one.stream_id), nameOf(`# ${one.name}`))),
  );
  update(part('people'), [
    ...people.map(({ user_id: id, full_name: name }) =>
      entry(directPlace([id]), dot(chat.presenceOf(id, now)), nameOf(name)),
    ),
    ...groups.map((place) =>
      entry(place, nameOf(place.userIds.map((id) => chat.nameOf(id)).join(', '))),
    ),
  ]);
}

/** A name has its own direction. */
const nameOf = (name) => make('span', { className: 'name', dir: 'auto' }, name);

const dot = (status) =>
  make('span', { className: `dot ${status}`, title: status, role: 'img', ariaLabel: status });
