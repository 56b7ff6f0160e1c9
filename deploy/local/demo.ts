import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readLocalStackConfig } from '#config';
import { type DemoFile, type DemoFileUser, writeDemoFiles } from '../../prisma/seed/demo-files.js';
import { type CommandContext, LocalStackError } from './command.js';
import { DemoApi } from './demo/demo-api.js';
import { DemoMismatch } from './demo/demo-mismatch.js';
import { Inbox } from './demo/inbox.js';
import { Narrator } from './demo/narrator.js';
import { showLogout, showNewKey } from './demo/show-new-key.js';
import { showPresence } from './demo/show-presence.js';
import { showPush } from './demo/show-push.js';

/**
 * `npm run demo`: shows on the system that `npm start` runs what this project does, each request and
 * answer before the reader's eyes. Ends with 0 only when every step was seen to happen. May be run
 * again at any time.
 */
export async function run({ root, progress }: CommandContext): Promise<number> {
  const narrator = new Narrator(progress);
  try {
    await tell(path.resolve(root, readLocalStackConfig().dataDir), narrator);
    narrator.title('Every step was seen to happen.');
    return 0;
  } catch (error) {
    if (!(error instanceof DemoMismatch) && !(error instanceof LocalStackError)) throw error;
    narrator.failed(error.message);
    return 1;
  }
}

async function tell(dataDir: string, narrator: Narrator): Promise<void> {
  const world = readWorld(dataDir);
  const [alice, bob] = [accountOf(world, 'alice'), accountOf(world, 'bob')];
  const api = new DemoApi(world, narrator);
  const inbox = new Inbox(world.sandbox_url);
  narrator.title(`Carillon at ${world.base_url}, its phones at ${world.sandbox_url}`);

  narrator.chapter(
    'Two people sign in',
    'A password gives the API key of the account, which signs every other request.',
  );
  const before = await api.signIn(alice);
  const bobSignedIn = await api.signIn(bob);

  const phones = await showPush(api, inbox, narrator, before);
  await showPresence(api, narrator, {
    alice: { ...before, userId: alice.user_id },
    bob: { ...bobSignedIn, userId: bob.user_id },
    observer: await api.signInUnseen(accountOf(world, 'carol')),
  });
  const after = await showNewKey(api, narrator, before);
  // Whoever reads demo.json next must find the key of now.
  await writeDemoFiles(dataDir, withApiKey(world, 'alice', after.apiKey));
  await showLogout(api, inbox, narrator, { before, after, phones });
}

function readWorld(dataDir: string): DemoFile {
  const file = path.join(dataDir, 'demo.json');
  if (!existsSync(file)) {
    throw new LocalStackError(
      `There is no ${file}: nothing has been started here yet.\n` +
        'Run "npm start" in another terminal, wait until it says that Carillon is up, and run this again.',
    );
  }
  // The seed writes this file in this shape.
  return JSON.parse(readFileSync(file, 'utf8')) as DemoFile;
}

function accountOf({ users }: DemoFile, name: string): DemoFileUser {
  const user = users[name];
  if (user !== undefined) return user;
  throw new LocalStackError(
    `demo.json has no account "${name}". Restart "npm start" to have it made anew.`,
  );
}

const withApiKey = (world: DemoFile, name: string, apiKey: string): DemoFile => ({
  ...world,
  users: { ...world.users, [name]: { ...accountOf(world, name), api_key: apiKey } },
});
