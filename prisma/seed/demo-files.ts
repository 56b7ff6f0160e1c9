import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DemoRemoteServer } from './demo-remote-server.js';

/** `.data/demo.json`: the addresses of the system and the content of the demo organisation. */
export interface DemoFile {
  readonly base_url: string;
  readonly sandbox_url: string;
  readonly ops: { readonly url: string; readonly token: string };
  /** The demo page, and the secret in its address: without it nobody gets the keys of the accounts. */
  readonly demo_page: { readonly url: string; readonly secret: string };
  /** The push service of the system: apps seal their tokens to its key, and a demo server sends through it. */
  readonly push_service: {
    readonly url: string;
    readonly public_key: string;
  } & DemoRemoteServer;
  readonly services: { readonly database_url: string; readonly redis_url: string };
  readonly users: Readonly<Record<string, DemoFileUser>>;
  readonly channels: Readonly<Record<string, number>>;
  readonly groups: Readonly<Record<string, number>>;
  readonly messages: Readonly<Record<string, number>>;
  readonly snippets: Readonly<Record<string, number>>;
}

export interface DemoFileUser {
  readonly user_id: number;
  readonly email: string;
  readonly full_name: string;
  readonly api_key: string;
  readonly password: string;
  readonly role: string;
}

/**
 * Writes `demo.json` and one client configuration per account to the data folder. Only their owner may read them,
 * because they contain keys and passwords.
 */
export async function writeDemoFiles(dataDir: string, demo: DemoFile): Promise<void> {
  const clientFolder = path.join(dataDir, 'zuliprc');
  await mkdir(clientFolder, { recursive: true, mode: 0o700 });
  for (const [name, user] of Object.entries(demo.users)) {
    await writePrivately(path.join(clientFolder, name), clientConfiguration(user, demo.base_url));
  }
  await writePrivately(path.join(dataDir, 'demo.json'), `${JSON.stringify(demo, null, 2)}\n`);
}

const clientConfiguration = ({ email, api_key }: DemoFileUser, site: string): string =>
  ['[api]', `email=${email}`, `key=${api_key}`, `site=${site}`, ''].join('\n');

/** Writes atomically: a concurrent reader sees the old file or the new one, never a partial one. */
async function writePrivately(file: string, content: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
}
