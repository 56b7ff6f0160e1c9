import { existsSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from './read-variables.js';
import { readSecretFile } from './secret-file.js';
import { secretKey } from './variable-types.js';

/** The secret that gateways and presence processes prove to each other to know. */
export const presenceSecretVariables = {
  PRESENCE_SECRET: secretKey.optional(),
  PRESENCE_SECRET_FILE: z.string().optional(),
};

/** Where `npm start` keeps it, and where it is looked for when nothing is set. */
const USUAL_FILE = '.data/presence-secret';

interface PresenceSecretValues {
  PRESENCE_SECRET?: Buffer | undefined;
  PRESENCE_SECRET_FILE?: string | undefined;
}

/** Null when there is none. Throws ConfigError when the file that is named cannot be used. */
export function presenceSecretFrom(values: PresenceSecretValues): Buffer | null {
  const { PRESENCE_SECRET: given, PRESENCE_SECRET_FILE: file } = values;
  if (given !== undefined) return given;
  if (file !== undefined) return readSecretFile('PRESENCE_SECRET', file);
  return existsSync(USUAL_FILE) ? readSecretFile('PRESENCE_SECRET', USUAL_FILE) : null;
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** Throws ConfigError for an address on which others than programs of this host could ask without a secret. */
export function assertSecretFor(host: string, secret: Buffer | null): void {
  if (secret !== null || isLoopback(host)) return;
  throw new ConfigError([
    `PRESENCE_SECRET is not set: PRESENCE_HOST (${host}) is no loopback address, so gateways have to prove who they are`,
  ]);
}
