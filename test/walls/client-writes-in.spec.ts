import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { clientWritesIn } from './client-writes-in.js';

const root = new URL('../../', import.meta.url);

const sources = ['apps', 'libs', 'prisma'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter(
      (path) => path.endsWith('.ts') && !/[.-]spec\.ts$|\.fixture\.ts$|\/generated\//.test(path),
    ),
);

describe(clientWritesIn.name, () => {
  it.each([
    ['await this.database.prisma.$transaction(async (tx) => 1)'],
    ['await database.prisma.$executeRaw`DELETE FROM users`'],
    ['transaction: Prisma.TransactionClient,'],
    ['await this.database.prisma.user.updateMany({ where })'],
    ['return prisma\n  .user\n  .upsert({})'],
  ])('finds the write in %s', (source) => {
    expect(clientWritesIn(source)).toHaveLength(1);
  });

  it.each([
    ['await this.database.prisma.user.findMany({ where })'],
    ['await this.database.transaction(async (transaction) => 1)'],
    ["await session.query('create_account', INSERT, values)"],
  ])('finds none in %s', (source) => {
    expect(clientWritesIn(source)).toEqual([]);
  });
});

describe('the code of the programs', () => {
  it('writes only through a Session, so that every write can join a transaction', () => {
    const writes = sources.map((path) => ({
      path,
      found: clientWritesIn(readFileSync(new URL(path, root), 'utf8')),
    }));
    expect(writes.filter(({ found }) => found.length > 0)).toEqual([]);
  });
});
