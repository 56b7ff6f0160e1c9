import { setTimeout as delay } from 'node:timers/promises';
import { type Actor, type DemoApi, granted } from './demo-api.js';
import { DemoMismatch, type DemoPrinter } from './demo-printer.js';

const PRESENCE = ['POST', '/users/me/presence'] as const;
/** A report within 55 s of the last one changes nothing, for example after another run. */
const REST_SECONDS = 56;
const REST_DEADLINE_MS = 90_000;
const POLL_MS = 1000;

/** A user who reports presence. */
interface Present extends Actor {
  readonly userId: number;
}

interface Presences {
  readonly cursor: number;
  readonly nowSeconds: number;
  readonly byUserId: Readonly<Record<string, { readonly idle_timestamp: number } | undefined>>;
}

/**
 * Two users report presence, and each sees the changes of the other; then one of them becomes invisible. The observer,
 * who shares no presence, checks that both were offline for a minute.
 */
export async function showPresence(
  api: DemoApi,
  printer: DemoPrinter,
  people: { readonly alice: Present; readonly bob: Present; readonly observer: Actor },
): Promise<void> {
  const { alice, bob, observer } = people;
  await untilRested(api, printer, observer, [alice, bob]);

  printer.section(
    `${alice.name} opens the app`,
    'She reports that she is connected but idle, and requests all entries (-1).\n' +
      'She will pass the cursor in the response with her next request.',
  );
  const alicesFirst = await report(api, alice, 'idle', -1);

  printer.section(
    `${bob.name} comes online`,
    'He reports that he is active, and requests all entries.',
  );
  const bobsFirst = await report(api, bob, 'active', -1);

  printer.section(
    `${alice.name} gets only the changes`,
    `She passes her cursor and gets ${bob.name}, who has changed since; all other users are omitted.`,
  );
  const alicesSecond = await report(api, alice, 'idle', alicesFirst.cursor);
  expectToSee(alice, bob, alicesSecond);
  printer.seen(`${alice.name} sees ${bob.name}.`);

  printer.section(
    `${bob.name} sees that ${alice.name} is active`,
    'She unlocks her phone. His cursor is older than that.',
  );
  await report(api, alice, 'active', alicesSecond.cursor);
  expectToSee(bob, alice, await report(api, bob, 'active', bobsFirst.cursor));
  printer.seen(`${bob.name} sees ${alice.name}.`);

  printer.section(
    `${bob.name} requests presence without a report`,
    'He requests all users, and then one user. Scripts can do the same, because these requests contain no report.',
  );
  await expectAmongAll(api, bob, alice);
  await expectStatus(api, bob, alice, 'active');
  printer.seen(`${bob.name} sees ${alice.name} both ways.`);
  await showInvisible(api, printer, alice, bob);
}

/** One user becomes invisible to the other at once, and visible again. */
async function showInvisible(
  api: DemoApi,
  printer: DemoPrinter,
  hidden: Present,
  watcher: Present,
): Promise<void> {
  const share = (shares: boolean) =>
    api.call(
      hidden,
      ['PATCH', '/settings'],
      { presence_enabled: String(shares) },
      granted('The setting is taken'),
    );
  printer.section(
    `${hidden.name} becomes invisible`,
    'She is offline immediately, not only when her last report expires.',
  );
  await share(false);
  try {
    await expectStatus(api, watcher, hidden, 'offline');
    printer.seen(`${watcher.name} sees ${hidden.name} as offline.`);
    printer.section(`${hidden.name} shows herself again`, 'That also takes effect immediately.');
  } finally {
    await share(true);
  }
  await expectStatus(api, watcher, hidden, 'active');
  printer.seen(`${watcher.name} sees ${hidden.name}.`);
}

async function expectAmongAll(api: DemoApi, watcher: Actor, other: Actor): Promise<void> {
  const promise = granted('The presence of everyone can be read');
  const { presences } = await api.call(watcher, ['GET', '/realm/presence'], {}, promise);
  if (other.email in Object(presences)) return;
  throw new DemoMismatch(`${other.name} is among those who are there`, JSON.stringify(presences));
}

async function expectStatus(
  api: DemoApi,
  watcher: Actor,
  { name, email }: Actor,
  status: 'active' | 'offline',
): Promise<void> {
  const route = ['GET', `/users/${email}/presence`] as const;
  const body = await api.call(watcher, route, {}, granted(`The presence of ${name} can be read`));
  // The contract's format.
  const { aggregated } = body['presence'] as { readonly aggregated: { readonly status: string } };
  if (aggregated.status === status) return;
  throw new DemoMismatch(`${name} is ${status}`, JSON.stringify(body['presence']));
}

/** Reports presence and prints the response. */
async function report(
  api: DemoApi,
  who: Present,
  status: 'active' | 'idle',
  cursor: number,
): Promise<Presences> {
  const fields = { status, last_update_id: String(cursor) };
  const expected = { status: 200, promise: 'The report is taken' };
  const presences = readPresences(await api.call(who, PRESENCE, fields, expected));
  if (presences.cursor >= cursor) return presences;
  throw new DemoMismatch(`A cursor that is not older than ${cursor}`, String(presences.cursor));
}

function expectToSee(watcher: Present, other: Present, { byUserId }: Presences): void {
  if (byUserId[other.userId] !== undefined) return;
  throw new DemoMismatch(
    `${watcher.name} gets the presence of ${other.name} (${other.userId})`,
    JSON.stringify(byUserId),
  );
}

async function untilRested(
  api: DemoApi,
  printer: DemoPrinter,
  observer: Actor,
  people: readonly Present[],
): Promise<void> {
  const deadline = performance.now() + REST_DEADLINE_MS;
  for (let looks = 1; performance.now() < deadline; looks += 1) {
    const fields = { status: 'idle', last_update_id: '-1' };
    const { body } = await api.ask(observer, PRESENCE, fields);
    const { byUserId, nowSeconds } = readPresences(body);
    const lastSeen = Math.max(...people.map(({ userId }) => byUserId[userId]?.idle_timestamp ?? 0));
    if (nowSeconds - lastSeen >= REST_SECONDS) return;
    if (looks === 1) {
      printer.section(
        'A short wait',
        'Both reported less than a minute ago. A report so soon after the last one changes nothing,\n' +
          'which reduces the load of all other clients.',
      );
    }
    await delay(POLL_MS);
  }
  throw new DemoMismatch(
    'The accounts of Alice and Bob are not used elsewhere',
    `reports for ${REST_DEADLINE_MS / 1000} s; close all clients of these accounts`,
  );
}

function readPresences(body: Readonly<Record<string, unknown>>): Presences {
  return {
    cursor: Number(body['presence_last_update_id']),
    nowSeconds: Number(body['server_timestamp']),
    // The contract's modern format; a refused call has none, which the caller notices.
    byUserId: (body['presences'] ?? {}) as Presences['byUserId'],
  };
}
