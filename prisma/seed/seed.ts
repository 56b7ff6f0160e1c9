import { createHmac } from 'node:crypto';
import {
  generateApiKey,
  hashApiKey,
  hashPassword,
  openSealedApiKey,
  sealApiKey,
} from '#directory/auth';
import { EventLog, EventRepository } from '#events/log';
import { Database } from '#platform/database';
import { WebPushKeyChanges } from '#push/devices';
import { WebPushKeyRepository, WebPushKeys } from '#push/providers';
import { PushKeyRepository, PushKeys } from '#push/tokens';
import { type DemoFile, type DemoFileUser, writeDemoFiles } from './demo-files.js';
import {
  type DemoSnapshot,
  DemoSnapshotRepository,
  type StoredDemoUser,
} from './demo-snapshot.repository.js';
import { demoRemoteServer } from './demo-remote-server.js';
import { demoPassword } from './demo-world.js';
import { DemoWorldRepository, lockSeed, type StoredCredentials } from './demo-world.repository.js';

export interface SeedOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** The secret of 32 bytes with which the gateway encrypts API keys. */
  readonly apiKeySecret: Buffer;
  /** The secret of 32 bytes with which the keys of encrypted notifications are stored. */
  readonly pushKeySecret: Buffer;
  /** The URLs of the gateway and the push sandbox, without a trailing slash. */
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  readonly opsToken: string;
  /** The folder of `demo.json` and `zuliprc/`. */
  readonly dataDir: string;
}

/**
 * `created` on the first start, `found` on a later one, `foreign` if the root organisation is not the demo
 * organisation; then the seed neither changes nor describes it.
 */
export type SeedOutcome = 'created' | 'found' | 'foreign';

/** The API keys were encrypted with another API_KEY_SECRET; the message says what to do. */
export class DemoKeysUnreadable extends Error {
  override readonly name = 'DemoKeysUnreadable';
}

/**
 * Creates the demo organisation and a VAPID key for Web Push if they are missing, and writes files with its current content, including the API keys. An
 * existing organisation is not changed. The database must be migrated.
 *
 * Rejects with DemoKeysUnreadable if the keys were encrypted with another API_KEY_SECRET.
 */
export async function seedDemoWorld(options: SeedOptions): Promise<SeedOutcome> {
  const database = new Database({ url: options.databaseUrl, poolSize: 2 });
  try {
    const isNew = await new DemoWorldRepository(database).createIfMissing(
      (name) => makeCredentials(name, options.apiKeySecret),
      new Date(),
    );
    const snapshot = await new DemoSnapshotRepository(database).read();
    if (snapshot === null) return 'foreign';
    await addWebPushKeyIfMissing(database, options.pushKeySecret);
    const pushService = {
      url: options.baseUrl,
      public_key: await pushKeyOf(database, options.pushKeySecret),
      ...(await demoRemoteServer(database, options.pushKeySecret)),
    };
    await writeDemoFiles(options.dataDir, describe(snapshot, pushService, options));
    return isNew ? 'created' : 'found';
  } finally {
    await database.onApplicationShutdown();
  }
}

/** Makes a VAPID key if there is none, so that the demo page can register its browser; clients of all organisations get the event. */
async function addWebPushKeyIfMissing(database: Database, secret: Buffer): Promise<void> {
  const keys = new WebPushKeys(new WebPushKeyRepository(database), secret);
  const changes = new WebPushKeyChanges(keys, new EventLog(new EventRepository(database)));
  await database.transaction(async (transaction) => {
    await lockSeed(transaction);
    if ((await keys.current(transaction)) !== null) return;
    await keys.add(transaction);
    await changes.append(transaction);
  });
}

/** The newest public key of the push service, which is made if there is none. */
async function pushKeyOf(database: Database, secret: Buffer): Promise<string> {
  const keys = new PushKeys(new PushKeyRepository(database), secret);
  const [newest] = await keys.list();
  return newest?.publicKey ?? keys.add();
}

async function makeCredentials(name: string, secret: Buffer): Promise<StoredCredentials> {
  const apiKey = generateApiKey();
  return {
    passwordHash: await hashPassword(demoPassword(name)),
    apiKeyHash: new Uint8Array(hashApiKey(apiKey)),
    apiKeySealed: new Uint8Array(sealApiKey(apiKey, secret)),
  };
}

const describe = (
  snapshot: DemoSnapshot,
  pushService: DemoFile['push_service'],
  options: SeedOptions,
): DemoFile => ({
  base_url: options.baseUrl,
  sandbox_url: options.sandboxUrl,
  ops: { url: `${options.baseUrl}/ops`, token: options.opsToken },
  demo_page: demoPage(options),
  push_service: pushService,
  services: { database_url: options.databaseUrl, redis_url: options.redisUrl },
  users: Object.fromEntries(
    snapshot.users.map((user) => [user.name, describeUser(user, options.apiKeySecret)]),
  ),
  channels: Object.fromEntries(snapshot.channels),
  groups: Object.fromEntries(snapshot.groups),
  messages: Object.fromEntries(snapshot.messages),
  snippets: Object.fromEntries(snapshot.snippets),
});

/** The secret stays the same with each start, so that a bookmark stays valid. */
function demoPage({ baseUrl, apiKeySecret }: SeedOptions): DemoFile['demo_page'] {
  const secret = createHmac('sha256', apiKeySecret).update('demo page').digest('base64url');
  return { url: `${baseUrl}/demo#${secret}`, secret };
}

const describeUser = (user: StoredDemoUser, secret: Buffer): DemoFileUser => ({
  user_id: user.id,
  email: user.email,
  full_name: user.fullName,
  api_key: openApiKey(user, secret),
  password: demoPassword(user.name),
  role: user.role,
});

function openApiKey(user: StoredDemoUser, secret: Buffer): string {
  try {
    return openSealedApiKey(user, secret);
  } catch (error) {
    throw new DemoKeysUnreadable(
      'The API keys in the database were sealed under another API_KEY_SECRET. ' +
        'Start with the one of then, or with another database.',
      { cause: error },
    );
  }
}
