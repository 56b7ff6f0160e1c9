import { type Actor, type DemoApi, granted, type Person } from './demo-api.js';
import { DemoMismatch } from './demo-mismatch.js';
import type { Narrator } from './narrator.js';

const OWN_STATUS = ['POST', '/users/me/status'] as const;
const TEXT = 'on the train';
const EMOJI = 'train';

/** Somebody says where they are, another sees it, and it is taken away again. */
export async function showStatus(
  api: DemoApi,
  narrator: Narrator,
  { owner, watcher }: { readonly owner: Person; readonly watcher: Actor },
): Promise<void> {
  narrator.chapter(
    `${owner.name} sets a status`,
    'An emoji is sent by its name; the answer to others has its code too, which an app draws it by.',
  );
  const fields = { status_text: TEXT, emoji_name: EMOJI };
  await api.call(owner, OWN_STATUS, fields, granted('The status is taken'));
  const status = await statusOf(api, watcher, owner);
  if (status['status_text'] !== TEXT || status['emoji_name'] !== EMOJI) {
    throw new DemoMismatch(
      `${watcher.name} is told ${JSON.stringify(fields)}`,
      JSON.stringify(status),
    );
  }
  narrator.screen(`On ${watcher.name}’s screen`, [
    `${owner.fullName}  ${drawn(status['emoji_code'])} ${TEXT}`,
  ]);
  narrator.seen(`${watcher.name} sees it.`);

  narrator.chapter(`${owner.name} has arrived`, 'Empty texts take the status away.');
  const nothing = { status_text: '', emoji_name: '' };
  await api.call(owner, OWN_STATUS, nothing, granted('The status can be taken away'));
  const left = await statusOf(api, watcher, owner);
  if ('status_text' in left || 'emoji_name' in left) {
    throw new DemoMismatch('No status is left', JSON.stringify(left));
  }
  narrator.seen('No status is left.');
}

async function statusOf(
  api: DemoApi,
  watcher: Actor,
  { userId, name }: Person,
): Promise<Readonly<Record<string, unknown>>> {
  const route = ['GET', `/users/${userId}/status`] as const;
  const expected = granted(`The status of ${name} can be read`);
  const body = await api.call(watcher, route, {}, expected);
  // The contract's format: an object whose members are left out when they are not set.
  return body['status'] as Readonly<Record<string, unknown>>;
}

/** The code of a Unicode emoji is its code points in hexadecimal, joined by dashes. */
const drawn = (code: unknown): string =>
  String.fromCodePoint(
    ...String(code)
      .split('-')
      .map((point) => Number.parseInt(point, 16)),
  );
