import { describe, expect, it } from '@jest/globals';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
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

  it('needs much less time for a password of digits and symbols than the default of the library', async () => {
    const byDefault = new ZxcvbnFactory({
      dictionary: { ...common.dictionary, ...english.dictionary },
      graphs: common.adjacencyGraphs,
    });
    const costOf = async (check: () => unknown) => {
      const before = process.cpuUsage();
      await check();
      return process.cpuUsage(before).user;
    };
    for (const password of ['a1!b2@c3#d4$e5%f6^g7&h8*i9(j0)kl', 'p@$$w0rd1!'.repeat(3)]) {
      const costs = { ours: Infinity, default: Infinity };
      for (let run = 0; run < 5; run += 1) {
        const ours = await costOf(() => isStrongPassword(password, own));
        const theirs = await costOf(() => byDefault.check(password, own));
        costs.ours = Math.min(costs.ours, ours);
        costs.default = Math.min(costs.default, theirs);
      }
      expect(costs.ours).toBeLessThan(costs.default / 2);
    }
  });
});
