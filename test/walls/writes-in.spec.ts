import { describe, expect, it } from '@jest/globals';
import { tablesByModel, writesIn } from './writes-in.js';

const schema = `
/// People and bots.
model User {
  id Int @id
  devices PushDevice[]
  settings Json @default("{}")

  @@map("users")
}

model PushDevice {
  id Int @id
  @@index([id])
  @@map("push_devices")
}
`;
const tables = tablesByModel(schema);

describe(tablesByModel.name, () => {
  it('knows each table by the name of its model in the client', () => {
    expect([...tables]).toEqual([
      ['user', 'users'],
      ['pushDevice', 'push_devices'],
    ]);
  });
});

describe(writesIn.name, () => {
  it.each([
    ['INSERT INTO users (id) VALUES (1)'],
    ['INSERT INTO\n  "users" VALUES (1)'],
    ['UPDATE users SET id = 1'],
    ['UPDATE ONLY users AS u SET id = 1'],
    ['WITH gone AS (DELETE FROM users RETURNING id) SELECT 1'],
    ['TRUNCATE TABLE users'],
    ['await this.database.prisma.user.updateMany({ where })'],
    ['const [row] = await transaction.user.createManyAndReturn({ data })'],
    ['return prisma\n  .user\n  .upsert({})'],
  ])('finds the write in %s', (source) => {
    expect(writesIn(source, tables)).toEqual(['users']);
  });

  it.each([
    ['SELECT id FROM users FOR NO KEY UPDATE'],
    ['SELECT id FROM users FOR UPDATE OF users'],
    ['ON CONFLICT (id) DO UPDATE SET id = 1'],
    ['prisma.user.findMany({ where })'],
    ['INSERT INTO elsewhere VALUES (1)'],
    ['hash.digest.update(text)'],
  ])('finds none in %s', (source) => {
    expect(writesIn(source, tables)).toEqual([]);
  });

  it('names each table once, in order', () => {
    const source = 'UPDATE users SET id = 1; DELETE FROM push_devices; DELETE FROM users';
    expect(writesIn(source, tables)).toEqual(['push_devices', 'users']);
  });
});
