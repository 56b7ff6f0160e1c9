import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateApiKey, hashApiKey, sealApiKey } from '#directory/auth';
import { WebPushKeyRepository, WebPushKeys } from '#push/providers';
import type { DemoFile } from '../../prisma/seed/demo-files.js';
import { DemoKeysUnreadable, seedDemoWorld, type SeedOutcome } from '../../prisma/seed/seed.js';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';

const apiKeySecret = randomBytes(32);
let store: TestDatabase;
let dataDir: string;

async function open(): Promise<void> {
  store = await createTestDatabase();
  dataDir = await mkdtemp(path.join(tmpdir(), 'seed-'));
}

async function close(): Promise<void> {
  await store.drop();
  await rm(dataDir, { recursive: true });
}

const sut = (secret = apiKeySecret): Promise<SeedOutcome> =>
  seedDemoWorld({
    databaseUrl: store.url,
    redisUrl: 'redis://127.0.0.1:1',
    apiKeySecret: secret,
    pushKeySecret: secret,
    baseUrl: 'http://127.0.0.1:9991',
    sandboxUrl: 'http://127.0.0.1:9992',
    opsToken: 'ops-token',
    dataDir,
  });

const readDemo = async (): Promise<DemoFile> =>
  JSON.parse(await readFile(path.join(dataDir, 'demo.json'), 'utf8'));

const messagesOf = async (where: { userId: number; isRead: boolean }): Promise<number[]> => {
  const rows = await store.database.prisma.userMessage.findMany({ where });
  return rows.map(({ messageId }) => Number(messageId)).toSorted((a, b) => a - b);
};

const userId = (demo: DemoFile, name: string): number => demo.users[name]?.user_id ?? 0;

describe('The seeded demo organisation', () => {
  let outcome: SeedOutcome;

  beforeAll(async () => {
    await open();
    outcome = await sut();
  });

  afterAll(close);

  it('is described in demo.json', async () => {
    expect(outcome).toBe('created');
    const demo = await readDemo();
    expect(demo).toMatchObject({
      base_url: 'http://127.0.0.1:9991',
      sandbox_url: 'http://127.0.0.1:9992',
      ops: { url: 'http://127.0.0.1:9991/ops', token: 'ops-token' },
      services: { database_url: store.url, redis_url: 'redis://127.0.0.1:1' },
    });
    expect(demo.users['alice_bot']).toEqual({
      user_id: 8,
      email: 'alice-bot@demo.carillon.test',
      full_name: "Alice's Helper",
      api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      password: 'alice_bot-demo-password',
      role: 'member',
    });
  });

  it('has the same ids in every new database', async () => {
    const { users, channels, groups, messages, snippets } = await readDemo();
    expect(Object.values(users).map(({ user_id }) => user_id)).toEqual(numbersTo(10));
    expect(channels).toEqual({
      general: 1,
      design: 2,
      news: 3,
      empty: 4,
      archive: 5,
      moderation: 6,
    });
    expect(groups).toMatchObject({ mobile: 9, backend: 10, retired: 11, 'role:nobody': 8 });
    expect(messages).toEqual({ general_1: 1, general_2: 2, design_1: 3, dm_1: 4 });
    expect(snippets).toEqual({ alice_1: 1 });
  });

  it('has files that only their owner can read', async () => {
    for (const file of ['demo.json', 'zuliprc/alice', 'zuliprc/admin_bot']) {
      expect((await stat(path.join(dataDir, file))).mode & 0o777).toBe(0o600);
    }
  });

  it('has a client configuration with the key of each account', async () => {
    const { users } = await readDemo();
    expect(await readFile(path.join(dataDir, 'zuliprc/bob'), 'utf8')).toBe(
      `[api]\nemail=bob@demo.carillon.test\nkey=${users['bob']?.api_key}\nsite=http://127.0.0.1:9991\n`,
    );
  });

  it('stores the hashes of keys and passwords', async () => {
    const { users } = await readDemo();
    const alice = await store.database.prisma.user.findUniqueOrThrow({
      where: { id: users['alice']?.user_id ?? 0 },
    });
    expect(Buffer.from(alice.apiKeyHash)).toEqual(hashApiKey(users['alice']?.api_key ?? ''));
    expect(alice.passwordHash).toMatch(/^\$argon2id\$/);
  });

  it('has accounts with their roles, owners and flags', async () => {
    const demo = await readDemo();
    const rows = await store.database.prisma.user.findMany({ orderBy: { id: 'asc' } });
    expect(rows.map(({ role }) => role)).toEqual([
      100, 200, 300, 400, 400, 400, 600, 400, 200, 400,
    ]);
    const idsWhere = (isSo: (row: (typeof rows)[number]) => boolean) =>
      rows.filter(isSo).map(({ id }) => id);
    expect(idsWhere((row) => !row.isActive)).toEqual([userId(demo, 'dora')]);
    expect(idsWhere((row) => !row.isPresenceEnabled)).toEqual([userId(demo, 'carol')]);
    expect(idsWhere((row) => row.botOwnerId === userId(demo, 'alice'))).toEqual([
      userId(demo, 'alice_bot'),
    ]);
  });

  it('nests the system groups from owners to internet', async () => {
    const { groups } = await readDemo();
    const edges = await store.database.prisma.userGroupSubgroup.findMany();
    const parentOf = new Map(edges.map((edge) => [edge.subgroupId, edge.supergroupId]));
    const chain = ['owners', 'administrators', 'moderators', 'fullmembers', 'members'];
    const ids = [...chain, 'everyone', 'internet'].map((role) => groups[`role:${role}`] ?? 0);
    for (const [index, id] of ids.entries()) expect(parentOf.get(id)).toBe(ids[index + 1]);
    expect(parentOf.has(groups['role:nobody'] ?? 0)).toBe(false);
    expect(parentOf.get(groups['backend'] ?? 0)).toBe(groups['mobile']);
  });

  it('allows the administrator and its bot to create accounts, not the owner', async () => {
    const demo = await readDemo();
    const realm = await store.database.prisma.realm.findFirstOrThrow();
    const members = await store.database.prisma.userGroupMember.findMany({
      where: { groupId: realm.canCreateUsersGroupId ?? 0 },
      orderBy: { userId: 'asc' },
    });
    expect(members.map((member) => member.userId)).toEqual([
      userId(demo, 'admin'),
      userId(demo, 'admin_bot'),
    ]);
    expect(realm.moderationChannelId).toBe(demo.channels['moderation']);
    expect(realm.canAccessAllUsersGroupId).toBeNull();
  });

  it('has messages that are unread for their recipients', async () => {
    const demo = await readDemo();
    expect(await messagesOf({ userId: userId(demo, 'alice'), isRead: false })).toEqual([
      1, 2, 3, 4,
    ]);
    expect(await messagesOf({ userId: userId(demo, 'bob'), isRead: true })).toEqual([1, 2, 3, 4]);
    expect(await messagesOf({ userId: userId(demo, 'carol'), isRead: false })).toEqual([]);
  });
});

describe(seedDemoWorld.name, () => {
  beforeEach(open);

  afterEach(close);

  it('neither recreates nor resets an existing demo organisation', async () => {
    await sut();
    await store.database.prisma.savedSnippet.update({
      where: { id: 1 },
      data: { title: 'My own title' },
    });
    const before = await readDemo();
    expect(await sut()).toBe('found');
    expect(await readDemo()).toEqual(before);
    const snippet = await store.database.prisma.savedSnippet.findUniqueOrThrow({
      where: { id: 1 },
    });
    expect(snippet.title).toBe('My own title');
  });

  it('writes a regenerated key at the next start', async () => {
    await sut();
    const apiKey = generateApiKey();
    const { users } = await readDemo();
    await store.database.prisma.user.update({
      where: { id: users['bob']?.user_id ?? 0 },
      data: {
        apiKeyHash: new Uint8Array(hashApiKey(apiKey)),
        apiKeySealed: new Uint8Array(sealApiKey(apiKey, apiKeySecret)),
      },
    });
    await sut();
    expect((await readDemo()).users['bob']?.api_key).toBe(apiKey);
    expect(await readFile(path.join(dataDir, 'zuliprc/bob'), 'utf8')).toContain(`key=${apiKey}`);
  });

  it('makes one key for Web Push, and tells the clients of an organisation that had none', async () => {
    await sut();
    const { prisma } = store.database;
    const [made] = await prisma.webPushKey.findMany();
    await sut();
    expect(await prisma.webPushKey.findMany()).toEqual([made]);
    await prisma.event.deleteMany();
    await prisma.webPushKey.deleteMany();
    await Promise.all([sut(), sut()]);
    const keys = await prisma.webPushKey.findMany();
    expect(keys).toHaveLength(1);
    const value = Buffer.from(keys[0]?.publicKey ?? []).toString('base64url');
    expect(await prisma.event.findMany()).toMatchObject([
      { body: { property: 'server_web_push_public_key', value } },
    ]);
  });

  it('writes no private key for Web Push into a file', async () => {
    await sut();
    const repository = new WebPushKeyRepository(store.database);
    const [{ id = 0 } = {}] = await repository.list();
    const pair = await new WebPushKeys(repository, apiKeySecret).pairOf(id);
    const { d = '' } = pair?.privateKey.export({ format: 'jwk' }) ?? {};
    expect(d).toMatch(/^[\w-]{43}$/);
    for (const file of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const text = await readFile(path.join(file.parentPath, file.name), 'utf8');
      expect(text).not.toContain(d);
      expect(text).not.toContain('PRIVATE KEY');
    }
  });

  it('creates one demo organisation in concurrent runs', async () => {
    expect((await Promise.all([sut(), sut()])).toSorted()).toEqual(['created', 'found']);
    expect(await store.database.prisma.realm.count()).toBe(1);
    expect(await store.database.prisma.user.count()).toBe(10);
  });

  it('runs in a database with other organisations', async () => {
    await store.database.prisma.realm.create({ data: { subdomain: 'acme', name: 'Acme' } });
    expect(await sut()).toBe('created');
    expect(await store.database.prisma.realm.count()).toBe(2);
  });

  it('does not change a foreign root organisation', async () => {
    await store.database.prisma.realm.create({ data: { subdomain: '', name: 'Acme' } });
    expect(await sut()).toBe('foreign');
    expect(await store.database.prisma.user.count()).toBe(0);
    expect(await store.database.prisma.webPushKey.count()).toBe(0);
    await expect(readDemo()).rejects.toThrow('ENOENT');
  });

  it('rejects keys that were sealed with another secret', async () => {
    await sut();
    await expect(sut(randomBytes(32))).rejects.toThrow(DemoKeysUnreadable);
  });
});

const numbersTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
