import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readLocalStackConfig } from '#platform/config';
import { type DemoFile, type DemoFileUser, writeDemoFiles } from '../../prisma/seed/demo-files.js';
import { type CommandContext, LocalStackError } from './command.js';
import { DemoApi, type Person } from './demo/demo-api.js';
import { DemoMismatch, DemoPrinter } from './demo/demo-printer.js';
import { inTurn } from './demo/in-turn.js';
import { Inbox } from './demo/inbox.js';
import {
  forgetPhones,
  registerReader,
  showMessageNotifications,
  showOutage,
} from './demo/show-message-notifications.js';
import { showLogout, showNewKey, showPush } from './demo/show-push.js';
import { showEncryptedPush } from './demo/show-encrypted-push.js';
import { showPresence } from './demo/show-presence.js';

/**
 * `npm run demo`: demonstrates presence and push on the system of `npm start`, and prints each request and response. The exit
 * code is 0 only if every step had its expected result. It can be repeated, and waits for a concurrent run.
 */
export async function run({ root, progress }: CommandContext): Promise<number> {
  const printer = new DemoPrinter(progress);
  try {
    const dataDir = path.resolve(root, readLocalStackConfig().dataDir);
    assertStarted(dataDir);
    await inTurn(dataDir, printer, () => runSections(dataDir, printer));
    printer.title('Every step was seen to happen.');
    return 0;
  } catch (error) {
    if (!(error instanceof DemoMismatch) && !(error instanceof LocalStackError)) throw error;
    printer.failed(error.message);
    return 1;
  }
}

async function runSections(dataDir: string, printer: DemoPrinter): Promise<void> {
  const world = readWorld(dataDir);
  const [alice, bob] = [accountOf(world, 'alice'), accountOf(world, 'bob')];
  const api = new DemoApi(world, printer);
  const inbox = new Inbox(world.sandbox_url);
  printer.title(`Carillon at ${world.base_url}, its phones at ${world.sandbox_url}`);

  printer.section(
    'Two people sign in',
    'The gateway returns the API key of the account for a password. The key authenticates all other requests.',
  );
  const before = await api.signIn(alice);
  const bobSignedIn = await api.signIn(bob);

  const phones = await showPush(api, inbox, printer, before);
  const publicKey = world.push_service.public_key;
  await showEncryptedPush(api, inbox, printer, { owner: before, publicKey });
  await showPresence(api, printer, {
    alice: { ...before, userId: alice.user_id },
    bob: { ...bobSignedIn, userId: bob.user_id },
    observer: await api.signInUnseen(accountOf(world, 'carol')),
  });
  await showAway(api, inbox, printer, { world, sender: bobSignedIn });
  const after = await showNewKey(api, printer, before);
  // Later readers of demo.json need the new key.
  await writeDemoFiles(dataDir, withApiKey(world, 'alice', after.apiKey));
  await showLogout(api, inbox, printer, { before, after, phones });
}

/** Notifications of an absent user. */
async function showAway(
  api: DemoApi,
  inbox: Inbox,
  printer: DemoPrinter,
  { world, sender }: { readonly world: DemoFile; readonly sender: Person },
): Promise<void> {
  // An interrupted demonstration may have left this.
  await inbox.setProvider('apns', 'ok');
  // No other section signs in as her, so that she is idle in every run.
  const reader = await registerReader(api, printer, accountOf(world, 'owner'));
  const story = { sender, reader };
  try {
    await showMessageNotifications(api, inbox, printer, story);
    await showOutage(api, inbox, printer, story);
  } finally {
    await forgetPhones(api, reader);
  }
}

const demoFileIn = (dataDir: string): string => path.join(dataDir, 'demo.json');

function assertStarted(dataDir: string): void {
  const file = demoFileIn(dataDir);
  if (existsSync(file)) return;
  throw new LocalStackError(
    `There is no ${file}: nothing has been started here yet.\n` +
      'Run "npm start" in another terminal, wait until it says that Carillon is up, and run this again.',
  );
}

// The seed writes this file in this shape.
const readWorld = (dataDir: string): DemoFile =>
  JSON.parse(readFileSync(demoFileIn(dataDir), 'utf8')) as DemoFile;

function accountOf({ users }: DemoFile, name: string): DemoFileUser {
  const user = users[name];
  if (user !== undefined) return user;
  throw new LocalStackError(
    `demo.json has no account "${name}". Restart "npm start" to create it again.`,
  );
}

const withApiKey = (world: DemoFile, name: string, apiKey: string): DemoFile => ({
  ...world,
  users: { ...world.users, [name]: { ...accountOf(world, name), api_key: apiKey } },
});
