import { describe, expect, it } from '@jest/globals';
import { hashPassword, isPassword } from './password.js';

describe(isPassword.name, () => {
  it('accepts only the password of the hash', async () => {
    const stored = await hashPassword('correct horse');
    expect(stored).toMatch(/^\$argon2id\$/);
    expect(await isPassword('correct horse', stored)).toBe(true);
    expect(await isPassword('Correct horse', stored)).toBe(false);
  });

  it('rejects every password without a hash, also that of the dummy hash', async () => {
    expect(await isPassword('', null)).toBe(false);
    expect(await isPassword('correct horse', null)).toBe(false);
  });
});
