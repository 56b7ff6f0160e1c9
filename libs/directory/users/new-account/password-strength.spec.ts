import { describe, expect, it } from '@jest/globals';
import { isStrongPassword, LONGEST_PASSWORD } from './password-strength.js';

describe(isStrongPassword.name, () => {
  const own = ['newbie@example.com', 'Morgan Featherstone'];

  it.each(['correct horse', 'hunter2x!Q', 'kX9#mQ2$', 'пароль-для-чата', '🦊🐙🌵🎷🪐🧩'])(
    'is content with %j',
    async (password) => {
      expect(await isStrongPassword(password, own)).toBe(true);
    },
  );

  it.each([
    '',
    'kX9#m',
    '🦊🐙🌵🎷🪐',
    'abcd1234',
    'password',
    'P@ssw0rd',
    'qwertyuiop',
    'aaaaaaaaaaaaaaaaaaaaaaaaa',
    'newbie@example.com',
    'Morgan Featherstone',
  ])('finds %j weak', async (password) => {
    expect(await isStrongPassword(password, own)).toBe(false);
  });

  it('needs no more time for a long password', async () => {
    await isStrongPassword('to read the lists', []);
    const startedAt = performance.now();
    await isStrongPassword('p@ssw0rd!'.repeat(10_000), own);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(LONGEST_PASSWORD).toBe(100);
  });

  it('needs not much more time for a password of digits and symbols', async () => {
    await isStrongPassword('to read the lists', []);
    const leastCpuOf = async (password: string) => {
      const costs: number[] = [];
      for (let run = 0; run < 5; run += 1) {
        const before = process.cpuUsage();
        await isStrongPassword(password, own);
        costs.push(process.cpuUsage(before).user);
      }
      return Math.min(...costs);
    };
    const plain = await leastCpuOf('correct horse battery staple and');
    for (const password of ['a1!b2@c3#d4$e5%f6^g7&h8*i9(j0)kl', 'p@$$w0rd1!'.repeat(4)]) {
      expect(await leastCpuOf(password)).toBeLessThan(15 * plain);
    }
  });
});
