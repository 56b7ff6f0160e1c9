import { setTimeout as delay } from 'node:timers/promises';
import type { Actor, DemoApi } from './demo-api.js';
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
 * asked. The observer, who shares no presence, looks whether both have been away for a minute.
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
