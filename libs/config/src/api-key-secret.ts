import { readFileSync } from 'node:fs';
import { ConfigError } from './read-variables.js';
import { secretKey } from './variable-types.js';

/**
 * The secret under which API keys are stored: API_KEY_SECRET, or else the contents of the file that
 * API_KEY_SECRET_FILE names, as secrets are mounted into containers and as `npm start` keeps its own.
 */
export function readApiKeySecret(given: Buffer | undefined, file: string): Buffer {
  if (given !== undefined) return given;
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError([
      `API_KEY_SECRET is not set, and API_KEY_SECRET_FILE (${file}) cannot be read`,
    ]);
  }
  const parsed = secretKey.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ConfigError([`API_KEY_SECRET_FILE (${file}): ${parsed.error.issues[0]?.message}`]);
}
