import { clockTime, make, outcomeText, shortToken } from './dom.js';

const dialog = document.getElementById('details');

// A click on the backdrop has the dialog itself as its target; a click on the content has a child.
dialog.addEventListener('click', ({ target }) => {
  if (target === dialog) dialog.close();
});

/** Shows everything that came with a delivery. */
export function showDetails(delivery) {
  const { platform, token, topic, headers, payload, decrypted, status, reason, shown } = delivery;
  const { received_at: at } = delivery;
  const provider = { apns: 'Apple', fcm: 'Google', web: 'web push' }[platform];
  const close = make('button', { type: 'button', className: 'close', ariaLabel: 'Close' }, '×');
  close.addEventListener('click', () => dialog.close());
  const facts = [
    ['Answer', outcomeText({ status, reason })],
    ['Shown', shown ? 'yes' : 'no'],
    ['Received', clockTime(at, { dateStyle: 'medium', timeStyle: 'medium' })],
    ['Device', shortToken(token)],
    ['Topic', topic ?? '–'],
  ];
  dialog.replaceChildren(
    make(
      'div',
      { className: 'sheet' },
      make(
        'header',
        {},
        make('h2', { id: 'details-title' }, `Delivery ${delivery.id} through ${provider}`),
        close,
      ),
      table(facts),
      make('h3', {}, 'Headers'),
      table(Object.entries(headers)),
      make('h3', {}, 'Payload'),
      make(
        'pre',
        {},
        make(
          'code',
          {},
          typeof payload === 'string' ? payload : JSON.stringify(shortened(payload), null, 2),
        ),
      ),
      ...(decrypted === null
        ? []
        : [
            make(
              'h3',
              {},
              platform === 'web' ? 'As the browser reads it' : 'As the phone reads it',
            ),
            make('pre', {}, make('code', {}, JSON.stringify(decrypted, null, 2))),
          ]),
    ),
  );
  dialog.showModal();
}

/** The payload with the device's token shortened, as everywhere on the page. */
function shortened(payload) {
  const token = payload?.message?.token;
  if (typeof token !== 'string') return payload;
  return { ...payload, message: { ...payload.message, token: shortToken(token) } };
}

function table(rows) {
  return make(
    'table',
    {},
    ...rows.map(([name, value]) =>
      make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, value)),
    ),
  );
}
