import { get, post } from './api.js';
import { make, nothing, part, redraw, sign, table, workButton } from './dom.js';
import { counted, number, platformNames, timeElement } from './format.js';
import { asked, attempt } from './toast.js';

const EVERY_MS = 30_000;

/** Shows the servers that notify through this push service, now, every half minute and for each searched host. */
export function watchServers() {
  part('server-host').addEventListener('input', lookAtServers);
  return repeat();
}

async function repeat() {
  await lookAtServers();
  setTimeout(repeat, EVERY_MS);
}

async function lookAtServers() {
  const host = part('server-host').value.trim();
  try {
    const { servers, most } = await get('api/servers', { host });
    // The answer for a later text may have arrived before.
    if (host !== part('server-host').value.trim()) return;
    const isEmpty = servers.length === 0;
    for (const id of ['servers', 'servers-link']) part(id).hidden = isEmpty && host === '';
    redraw(part('server-list'), [host, servers], () =>
      isEmpty ? nothing(`No host begins with ${host}.`) : servers.map(drawServer),
    );
    part('server-count').textContent =
      servers.length === most ? `The ${number(most)} that were seen last` : number(servers.length);
  } catch (error) {
    redraw(part('server-list'), error.message, nothing);
  }
}

/** The open servers, which stay open when the page is redrawn. */
const opened = new Set();

function drawServer(server) {
  const { id, host, organisations, phones, seenAt } = server;
  const place = make('div');
  const details = make(
    'details',
    { className: 'reason' },
    make(
      'summary',
      { 'data-name': id },
      make('strong', {}, host),
      stateOf(server),
      make('span', { className: 'count' }, counted(phones, 'phone')),
      make('span', { className: 'soft' }, counted(organisations, 'organisation')),
      make('span', { className: 'soft' }, 'seen ', seenAt === null ? '–' : timeElement(seenAt)),
    ),
    make(
      'div',
      { className: 'tools' },
      make('span', { className: 'soft' }, limitsOf(server)),
      limitButton(server),
      switchOf({ server: id }, host, server),
    ),
    place,
  );
  details.addEventListener('toggle', () => {
    if (!details.open) return opened.delete(id);
    opened.add(id);
    return showDetails(place, id);
  });
  details.open = opened.has(id);
  return details;
}

function stateOf({ deactivatedAt, stoppedFrom, stopReason }) {
  if (deactivatedAt) return sign('Deactivated', 'odd');
  if (!stoppedFrom) return sign('Active', 'good');
  return make(
    'span',
    {},
    sign('Stopped', 'bad'),
    ' as of ',
    timeElement(stoppedFrom),
    reason(stopReason),
  );
}

const reason = (text) => (text ? `: ${text}` : '');

const limitsOf = ({ requestsPerMinute, pushesPerSecond, mostPhones, version }) =>
  [
    version === null ? 'unknown version' : `version ${version}`,
    requestsPerMinute === null ? null : `${number(requestsPerMinute)} requests a minute`,
    pushesPerSecond === null ? null : `${number(pushesPerSecond)} pushes a second`,
    mostPhones === null ? null : `at most ${number(mostPhones)} phones`,
  ]
    .filter((text) => text !== null)
    .join(', ');

function switchOf(target, name, { stoppedFrom }) {
  return stoppedFrom
    ? workButton('Start', {
        label: `Start ${name}`,
        work: () => change('start', target, `${name} may notify again.`),
      })
    : workButton('Stop', {
        className: 'harm',
        label: `Stop ${name}`,
        work: async () => {
          const fields = [['reason', 'Reason, for the server', { type: 'text', maxLength: 500 }]];
          const given = await asked(`Refuse the notifications of ${name}?`, fields, 'Stop');
          if (given !== null) await change('stop', { ...target, ...given }, `${name} is stopped.`);
        },
      });
}

const limitField = (name, label, value) => [name, label, { type: 'number', min: 1, value }];

/** An empty field stands for the configured limit. */
const limitButton = ({ id: server, host, requestsPerMinute, pushesPerSecond, mostPhones }) =>
  workButton('Limit', {
    label: `Limit ${host}`,
    work: async () => {
      const fields = [
        limitField('requests', 'Requests a minute', requestsPerMinute ?? ''),
        limitField('pushes', 'Pushes a second', pushesPerSecond ?? ''),
        limitField('devices', 'Phones', mostPhones ?? ''),
      ];
      const question = `Limits of ${host}. An empty field stands for the configured limit.`;
      const given = await asked(question, fields, 'Set');
      if (given !== null) await change('limit', { server, ...given }, `${host} has its limits.`);
    },
  });

const change = (verb, target, text) =>
  attempt(
    () => post(`api/servers/${verb}`, target),
    () => text,
  ).then(lookAtServers);

async function showDetails(place, id) {
  try {
    const { organisations, deliveries } = await get('api/servers/details', { server: id });
    place.replaceChildren(
      table(
        ['Organisation', 'Host', 'State', 'Phones', 'Actions'],
        organisations.map((organisation) => [
          organisation.name,
          organisation.host,
          organisation.deletedAt ? sign('Deleted', 'odd') : stateOf(organisation),
          number(organisation.phones),
          switchOf({ organisation: organisation.id }, organisation.name, organisation),
        ]),
      ),
      deliveries.length === 0
        ? nothing('No notification in the last day.')
        : table(
            ['Last day', 'State', 'Deliveries'],
            deliveries.map(({ platform, state, deliveries: count }) => [
              platformNames[platform],
              state,
              number(count),
            ]),
          ),
    );
  } catch (error) {
    place.replaceChildren(nothing(error.message));
  }
}
