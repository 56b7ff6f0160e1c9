import { hash, verify } from '@node-rs/argon2';

/** Hashes a password with Argon2id and the library's defaults, which follow OWASP. */
export const hashPassword = (password: string): Promise<string> => hash(password);

/** Verified when an account has no hash, so that the response time does not reveal this. */
const dummyHash = hash('');

/** Whether a password matches a stored hash. Takes the same time if `stored` is null. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const matches = await verify(stored ?? (await dummyHash), password);
  return matches && stored !== null;
}
