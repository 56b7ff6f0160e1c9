import {
  createPublicKey,
  generateKeyPair,
  hkdfSync,
  KeyObject,
  randomBytes,
  randomInt,
} from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ConfigError, type PushSandboxConfig } from '#platform/config';
import { errorText } from '#platform/core';
import { prepareApnsCertificates } from './apns-certificates.js';
import {
  isServerIdentityUsable,
  makeServerIdentity,
  type ServerIdentity,
} from './certificate-authority.js';
import { readIfPresent, writePrivateFile } from './credential-files.js';

const generate = promisify(generateKeyPair);

/** The Google project of the service account. */
const PROJECT_ID = 'carillon-demo';

/** Every sandbox has the same, so that the settings of a worker can name them. */
const APNS_IDENTITY = { key_id: 'SANDBOXKEY', team_id: 'SANDBOXORG' } as const;

const serviceAccountFile = z.object({
  type: z.literal('service_account'),
  project_id: z.string(),
  private_key_id: z.string(),
  private_key: z.string(),
  client_email: z.string(),
  client_id: z.string(),
  universe_domain: z.string(),
  token_uri: z.string(),
});

type ServiceAccountFile = z.infer<typeof serviceAccountFile>;

/** An Apple team, and the key that verifies its provider tokens. */
export interface ApnsTeam {
  readonly keyId: string;
  readonly teamId: string;
  readonly publicKey: KeyObject;
}

/** A service account of Google. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly tokenUri: string;
  readonly publicKey: KeyObject;
  /** Signs the access tokens. It is derived from the account's key, so that tokens survive a restart. */
  readonly accessTokenSecret: Uint8Array;
}

interface SandboxCredentials {
  readonly server: ServerIdentity;
  readonly apns: ApnsTeam;
  /** The authority of client certificates, PEM. */
  readonly apnsCertificateAuthority: string;
  readonly fcm: ServiceAccount;
}

/**
 * Creates the missing credentials of the sandbox in `folder`, and reads all of them.
 *
 * Afterwards the folder holds `ca.pem` (what clients trust), `server.pem` and `server-key.pem`,
 * `apns-key.p8` with `apns.json` (`key_id`, `team_id`), `service-account.json`, and the certificates of
 * `prepareApnsCertificates`. Usable files are kept; the certificate and the service account's `token_uri` follow the address.
 * Files with secrets are readable by their owner only. Throws ConfigError without the folder, and if a file cannot be read.
 */
export async function prepareSandboxCredentials(
  folder: string,
  address: Pick<PushSandboxConfig, 'publicHost' | 'fcmPort'>,
): Promise<SandboxCredentials> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new ConfigError([`DATA_DIR: ${folder} cannot be used: ${errorText(error)}`]);
  });
  return {
    server: await prepareServerIdentity(folder, address.publicHost),
    apns: await prepareApnsTeam(folder),
    apnsCertificateAuthority: await prepareApnsCertificates(folder),
    fcm: await prepareServiceAccount(folder, address),
  };
}

async function prepareServerIdentity(folder: string, host: string): Promise<ServerIdentity> {
  const paths = {
    authority: join(folder, 'ca.pem'),
    certificate: join(folder, 'server.pem'),
    key: join(folder, 'server-key.pem'),
  };
  const kept = {
    authority: (await readIfPresent(paths.authority)) ?? '',
    certificate: (await readIfPresent(paths.certificate)) ?? '',
    key: (await readIfPresent(paths.key)) ?? '',
  };
  if (isServerIdentityUsable(kept, new Date(), host)) return kept;
  const made = await makeServerIdentity(new Date(), host);
  await writePrivateFile(paths.key, made.key);
  await writePrivateFile(paths.certificate, made.certificate);
  await writePrivateFile(paths.authority, made.authority);
  return made;
}

async function prepareApnsTeam(folder: string): Promise<ApnsTeam> {
  const keyPath = join(folder, 'apns-key.p8');
  let key = await readIfPresent(keyPath);
  if (key === undefined) {
    const { privateKey } = await generate('ec', { namedCurve: 'P-256' });
    key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await writePrivateFile(keyPath, key);
  }
  const identityPath = join(folder, 'apns.json');
  const identity = toJson(APNS_IDENTITY);
  if ((await readIfPresent(identityPath)) !== identity) {
    await writePrivateFile(identityPath, identity);
  }
  const { key_id: keyId, team_id: teamId } = APNS_IDENTITY;
  return { keyId, teamId, publicKey: createPublicKey(key) };
}

async function prepareServiceAccount(
  folder: string,
  { publicHost, fcmPort }: Pick<PushSandboxConfig, 'publicHost' | 'fcmPort'>,
): Promise<ServiceAccount> {
  const path = join(folder, 'service-account.json');
  const text = await readIfPresent(path);
  const kept = text === undefined ? undefined : serviceAccountFile.parse(JSON.parse(text));
  const tokenUri = `https://${publicHost}:${fcmPort}/token`;
  const account = { ...(kept ?? (await makeServiceAccount())), token_uri: tokenUri };
  if (kept?.token_uri !== tokenUri) await writePrivateFile(path, toJson(account));
  return {
    projectId: account.project_id,
    clientEmail: account.client_email,
    tokenUri,
    publicKey: createPublicKey(account.private_key),
    accessTokenSecret: new Uint8Array(
      hkdfSync('sha256', account.private_key, '', 'access tokens of the push sandbox', 32),
    ),
  };
}

async function makeServiceAccount(): Promise<Omit<ServiceAccountFile, 'token_uri'>> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  const clientEmail = `push-sandbox@${PROJECT_ID}.iam.gserviceaccount.com`;
  return {
    type: 'service_account',
    project_id: PROJECT_ID,
    private_key_id: randomBytes(20).toString('hex'),
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    client_email: clientEmail,
    client_id: Array.from({ length: 21 }, () => randomInt(1, 10)).join(''),
    universe_domain: 'googleapis.com',
  };
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The configuration and the credentials of the sandbox. */
export class SandboxSettings {
  constructor(
    readonly config: PushSandboxConfig,
    readonly credentials: SandboxCredentials,
  ) {}
}
