import { readFileSync } from 'node:fs';
import { ConfigError } from './read-variables.js';
import { secretKey } from './variable-types.js';

/**
 * A secret of 32 bytes from the file that `<name>_FILE` names, as secrets are mounted into containers and as `npm start`
 * keeps its own. Throws ConfigError.
 */
export function readSecretFile(name: string, file: string): Buffer {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError([`${name} is not set, and ${name}_FILE (${file}) cannot be read`]);
  }
  const parsed = secretKey.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ConfigError([`${name}_FILE (${file}): ${parsed.error.issues[0]?.message}`]);
}
