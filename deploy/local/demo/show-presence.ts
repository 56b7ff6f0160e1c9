import { setTimeout as delay } from 'node:timers/promises';
import { type Actor, type DemoApi, granted } from './demo-api.js';
import { DemoMismatch } from './demo-mismatch.js';
import type { Narrator } from './narrator.js';

const PRESENCE = ['POST', '/users/me/presence'] as const;
/** A report within 55 s of the last one changes nothing, as right after another run of this. */
const REST_SECONDS = 56;
const REST_DEADLINE_MS = 90_000;
const POLL_MS = 1000;

/** Somebody whose presence is shown, by the id under which others see it. */
export interface Present extends Actor {
  readonly userId: number;
}

interface Presences {
  readonly cursor: number;
  readonly nowSeconds: number;
  readonly byUserId: Readonly<Record<string, { readonly idle_timestamp: number } | undefined>>;
}

/**
 * Two people report that they are there, and each sees the other by what changed since they last
 * asked; then one is looked up, and goes invisible. The observer, who shares no presence, looks whether both have been
 * away for a minute.
 */
export async function showPresence(
  api: DemoApi,
  narrator: Narrator,
  people: { readonly alice: Present; readonly bob: Present; readonly observer: Actor },
): Promise<void> {
  const { alice, bob, observer } = people;
  await untilRested(api, narrator, observer, [alice, bob]);

  narrator.chapter(
    `${alice.name} opens the app`,
    'She reports that she is connected, though not yet active, and asks for everything (-1).\n' +
      'The cursor in the answer is what she passes next time.',
  );
  const alicesFirst = await report(api, alice, 'idle', -1);

  narrator.chapter(
    `${bob.name} comes online`,
    'He asks for everything too, and reports that he is active.',
  );
  const bobsFirst = await report(api, bob, 'active', -1);

  narrator.chapter(
    `${alice.name} sees only what changed`,
    `She passes her cursor and is given ${bob.name}, who changed since; nobody else is sent again.`,
  );
  const alicesSecond = await report(api, alice, 'idle', alicesFirst.cursor);
  expectToSee(alice, bob, alicesSecond);
  narrator.seen(`${alice.name} sees ${bob.name}.`);

  narrator.chapter(
    `${bob.name} sees ${alice.name} turn active`,
    'She picks up the phone. His cursor is from before that.',
  );
  await report(api, alice, 'active', alicesSecond.cursor);
  expectToSee(bob, alice, await report(api, bob, 'active', bobsFirst.cursor));
  narrator.seen(`${bob.name} sees ${alice.name}.`);

  narrator.chapter(
    `${bob.name} looks who is there`,
    'He asks for everyone, and for one person. Scripts may too: it takes no report of their own.',
  );
  await expectAmongAll(api, bob, alice);
  await expectStatus(api, bob, alice, 'active');
  narrator.seen(`${bob.name} sees ${alice.name} both ways.`);
  await showInvisible(api, narrator, alice, bob);
}

/** One of two goes invisible, for the other at once, and comes back. */
async function showInvisible(
  api: DemoApi,
  narrator: Narrator,
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
  narrator.chapter(
    `${hidden.name} goes invisible`,
    'She counts as offline at once, not only when her last report gets old.',
  );
  await share(false);
  try {
    await expectStatus(api, watcher, hidden, 'offline');
    narrator.seen(`${watcher.name} sees ${hidden.name} as offline.`);
    narrator.chapter(`${hidden.name} shows herself again`, 'That takes effect at once too.');
  } finally {
    await share(true);
  }
  await expectStatus(api, watcher, hidden, 'active');
  narrator.seen(`${watcher.name} sees ${hidden.name}.`);
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

/** Reports and asks, before the reader's eyes. */
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
    `${watcher.name} is told that ${other.name} (${other.userId}) is there`,
    JSON.stringify(byUserId),
  );
}

async function untilRested(
  api: DemoApi,
  narrator: Narrator,
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
      narrator.chapter(
        'A short wait',
        'Both were here less than a minute ago, and a report so soon after the last one changes nothing,\n' +
          'to spare everybody who watches.',
      );
    }
    await delay(POLL_MS);
  }
  throw new DemoMismatch(
    'Nobody else uses the accounts of Alice and Bob at the moment',
    `reports of theirs for ${REST_DEADLINE_MS / 1000} s; close what is signed in as them`,
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
