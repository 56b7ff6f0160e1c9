import { hash, verify } from '@node-rs/argon2';

/** Hashes a password with Argon2id, at the library's parameters (those that OWASP names). */
export const hashPassword = (password: string): Promise<string> => hash(password);

/** A hash of nothing, compared with when there is no account, so that the time taken tells nothing. */
const decoy = hash('');

/** Whether a password belongs to a stored hash; takes as long when there is no hash. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const matches = await verify(stored ?? (await decoy), password);
  return matches && stored !== null;
}
