import { setTimeout as delay } from 'node:timers/promises';
import type { Actor, DemoApi } from './demo-api.js';
import { DemoMismatch } from './demo-mismatch.js';
import type { Narrator } from './narrator.js';

const PRESENCE = ['POST', '/users/me/presence'] as const;
/** A report within 55 s of the last one changes nothing: right after another run it takes that long. */
const CHANGE_DEADLINE_MS = 75_000;
const POLL_MS = 1500;

/** Somebody whose presence is shown, by the id under which others see it. */
export interface Present extends Actor {
  readonly userId: number;
}

/** Two people report that they are there, and each sees the other by what changed since they last asked. */
export async function showPresence(
  api: DemoApi,
  narrator: Narrator,
  alice: Present,
  bob: Present,
): Promise<void> {
  narrator.chapter(
    `${alice.name} opens the app`,
    'She reports that she is connected, though not yet active, and asks for everything (-1).\n' +
      'The cursor in the answer is what she passes next time.',
  );
  const alicesCursor = await ask(api, alice, 'idle', -1);

  narrator.chapter(
    `${bob.name} comes online`,
    'He asks for everything too, and reports that he is active.',
  );
  const bobsCursor = await ask(api, bob, 'active', -1);

  narrator.chapter(
    `${alice.name} sees only what changed`,
    `She passes her cursor and is given ${bob.name}, who changed since; nobody else is sent again.`,
  );
  await untilSeen(api, narrator, {
    watcher: alice,
    status: 'idle',
    cursor: alicesCursor,
    other: bob,
  });
  await ask(api, alice, 'idle', alicesCursor);
  narrator.seen(`${alice.name} sees ${bob.name}.`);

  narrator.chapter(
    `${bob.name} sees ${alice.name} turn active`,
    'She picks up the phone. His cursor is from before that.',
  );
  const watching = { watcher: bob, status: 'active', cursor: bobsCursor, other: alice } as const;
  await ask(api, alice, 'active', alicesCursor);
  await untilSeen(api, narrator, watching);
  await ask(api, bob, 'active', bobsCursor);
  narrator.seen(`${bob.name} sees ${alice.name}.`);
}

/** Reports and asks, before the reader's eyes; resolves with the new cursor. */
async function ask(
  api: DemoApi,
  who: Present,
  status: 'active' | 'idle',
  cursor: number,
): Promise<number> {
  const fields = { status, last_update_id: String(cursor) };
  const body = await api.call(who, PRESENCE, fields, {
    status: 200,
    promise: 'The report is taken',
  });
  const next = Number(body['presence_last_update_id']);
  if (next >= cursor) return next;
  throw new DemoMismatch(`A cursor that is not older than ${cursor}`, String(next));
}

interface Watching {
  readonly watcher: Present;
  readonly status: 'active' | 'idle';
  readonly cursor: number;
  readonly other: Present;
}

/** The other reports being active until the watcher, who keeps the cursor, is told of it. */
async function untilSeen(api: DemoApi, narrator: Narrator, watching: Watching): Promise<void> {
  const { watcher, status, cursor, other } = watching;
  const deadline = performance.now() + CHANGE_DEADLINE_MS;
  for (let tries = 1; performance.now() < deadline; tries += 1) {
    await api.ask(other, PRESENCE, { status: 'active', ping_only: 'true' });
    const fields = { status, last_update_id: String(cursor) };
    const { body } = await api.ask(watcher, PRESENCE, fields);
    const presences = body['presences'];
    if (typeof presences === 'object' && presences !== null && other.userId in presences) return;
    if (tries === 1) {
      narrator.say(
        `(${other.name} was here less than a minute ago, and a report so soon after the last changes\n` +
          'nothing, to spare everybody who watches. Waiting until one does.)',
      );
    }
    await delay(POLL_MS);
  }
  throw new DemoMismatch(
    `${watcher.name} is told, after the cursor ${cursor}, that ${other.name} is there`,
    `no word of ${other.name} for ${CHANGE_DEADLINE_MS / 1000} s`,
  );
}
