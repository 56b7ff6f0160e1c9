import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** The secret in this file. The first call creates it, readable by its owner only. */
export function rememberedSecret(file: string, encoding: 'base64' | 'base64url'): string {
  if (existsSync(file)) {
    const known = readFileSync(file, 'utf8').trim();
    if (known !== '') return known;
  }
  const secret = randomBytes(32).toString(encoding);
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}
