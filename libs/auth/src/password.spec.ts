import { describe, expect, it } from '@jest/globals';
import { hashPassword, isPassword } from './password.js';

describe(isPassword.name, () => {
  it('knows the password of a hash from any other', async () => {
    const stored = await hashPassword('correct horse');
    expect(stored).toMatch(/^\$argon2id\$/);
    expect(await isPassword('correct horse', stored)).toBe(true);
    expect(await isPassword('Correct horse', stored)).toBe(false);
  });

  it('lets nobody in where there is no hash, not even with the decoy’s password', async () => {
    expect(await isPassword('', null)).toBe(false);
    expect(await isPassword('correct horse', null)).toBe(false);
  });
});
