import { type DemoApi, granted, type Person, refused } from './demo-api.js';
import { send } from './messages.js';
import type { Narrator } from './narrator.js';

const FILE = {
  name: 'packing list.txt',
  content: 'Two phones, one charger, and the bell.\n',
};

/** A file is its uploader's alone until a message links it, and then its readers', too. */
export async function showFiles(
  api: DemoApi,
  narrator: Narrator,
  { owner, other }: { readonly owner: Person; readonly other: Person },
): Promise<void> {
  narrator.chapter(
    `${owner.name} uploads a file`,
    `It is hers alone: to ${other.name}, who would have to guess its link, there is no such file.`,
  );
  const link = await api.upload(owner, FILE, 'The file is kept');
  await api.openFile(owner, link, FILE);
  const msg = 'This file does not exist or has been deleted.';
  await api.findNoFile(other, link, refused(404, msg, `${other.name} may not read the file`));
  narrator.seen(`${owner.name} can open it, and ${other.name} cannot.`);

  narrator.chapter(
    `${owner.name} sends it to ${other.name}`,
    'Whoever may read a message may read the file that its sender shares in it.',
  );
  await send(api, owner, {
    type: 'direct',
    to: `[${other.userId}]`,
    content: `For tomorrow: [${FILE.name}](${link})`,
  });
  await api.openFile(other, link, FILE);
  narrator.seen(`${other.name} can open it now.`);

  narrator.chapter(
    'An address for a minute',
    'A browser or a player has no API key. It is given an address that holds for 60 seconds, and for whoever\n' +
      'has it: open it in yours, if you are quick.',
  );
  const route = ['GET', link] as const;
  const { url } = await api.call(other, route, {}, granted('There is a temporary address'));
  const anyone = { name: 'Anyone', email: '', apiKey: null };
  await api.openFile(anyone, String(url), FILE);
  narrator.seen('It opens without signing in.');
}
