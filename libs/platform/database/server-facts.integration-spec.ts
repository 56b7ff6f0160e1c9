import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEmptyDatabase, openTestDatabase, type TestDatabase } from '#test/test-stores';
import { ServerFactsRepository } from './server-facts.repository.js';

let stores: TestDatabase;

beforeAll(async () => {
  stores = await createEmptyDatabase();
});

afterAll(() => stores?.drop());

describe(ServerFactsRepository.name, () => {
  it.each([
    ['knows', "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'", true],
    ['does not know', "LOCALE_PROVIDER libc LOCALE 'C'", false],
  ])('tells that a database %s letters beyond ASCII', async (_, locale, foldsLetters) => {
    const name = `test_${randomBytes(8).toString('hex')}`;
    const { prisma } = stores.database;
    await prisma.$executeRawUnsafe(
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' ${locale}`,
    );
    const other = openTestDatabase(new URL(`/${name}`, stores.url).href);
    try {
      const facts = await new ServerFactsRepository(other.database).read();
      expect(facts.foldsLetters).toBe(foldsLetters);
    } finally {
      await other.drop();
      await prisma.$executeRawUnsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });
});
