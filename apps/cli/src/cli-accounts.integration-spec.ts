import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  AccountRepository,
  hashApiKey,
  hashPassword,
  isPassword,
  openSealedApiKey,
} from '#directory/auth';
import { lockRealm, SystemGroupRepository } from '#directory/groups';
import { roles } from '#directory/roles';
import { closeRedis, openRedis, untilReady } from '#platform/redis';
import { untilLockWaits } from '#test/lock-waits';
import { RecordingTerminal } from '#test/recording-terminal';
import { testRedisUrl } from '#test/test-stores';
import { CommandLine } from './cli-command-line.fixture.js';
import { OperatedWorld, useOperatedWorld } from '#test/push-operate-world';

const world = useOperatedWorld();
const sut = new CommandLine(world);
let ada: Awaited<ReturnType<OperatedWorld['addPerson']>>;

beforeAll(async () => {
  ada = await world.addPerson('ada@example.org');
});

describe('carillon organisation, user and bot', () => {
  const accountOf = (apiKey: string) =>
    new AccountRepository(world.database).findByKeyHash(hashApiKey(apiKey));

  it('creates an organisation with its system groups', async () => {
    const made = await sut.json("organisation create acme --name 'Acme Corp'");
    expect(made).toEqual({
      id: expect.any(Number),
      subdomain: 'acme',
      name: 'Acme Corp',
      url: 'https://acme.chat.example.org',
    });
    const { id } = made as { id: number };
    await expect(new SystemGroupRepository(world.database).idsOf(id)).resolves.toHaveProperty(
      'role:owners',
    );
  });

  it('rejects a duplicate organisation, an invalid subdomain and a blank name', async () => {
    expect(await sut.failure('organisation create chat --name Chat')).toMatchObject({
      code: 'refused',
    });
    for (const subdomain of ['Acme', 'a.b', '-a', 'a'.repeat(64)]) {
      expect((await sut.run(`organisation create ${subdomain} --name=A`)).exitCode).toBe(2);
    }
    expect((await sut.run("organisation create blank --name ' '")).exitCode).toBe(2);
  });

  it('requires encrypted notifications, with one event for each change', async () => {
    const command = 'organisation require-encryption';
    expect(await sut.json(`${command} chat on`)).toMatchObject({ requires_encrypted_push: true });
    await sut.json(`${command} chat on`);
    const where = { subdomain: 'chat' };
    const { prisma } = world.database;
    expect(await prisma.realm.findUnique({ where })).toMatchObject({ requiresEncryptedPush: true });
    await sut.json(`${command} chat off`);
    const events = await prisma.event.findMany({
      where: { type: 'realm' },
      orderBy: { position: 'asc' },
    });
    expect(events.map(({ body }) => body)).toEqual(
      [true, false].map((value) => ({
        op: 'update',
        property: 'require_e2ee_push_notifications',
        value,
      })),
    );
    expect(await sut.failure(`${command} nowhere on`)).toMatchObject({
      code: 'unknown_organisation',
    });
    expect(await sut.run(`${command} chat maybe`)).toMatchObject({ exitCode: 2 });
  });

  it('creates a user who can sign in with the printed API key', async () => {
    const made = await sut.json(
      "user create olga@example.org -o chat --name 'Olga Owner' --role owner",
    );
    expect(made).toEqual({
      id: expect.any(Number),
      email: 'olga@example.org',
      full_name: 'Olga Owner',
      role: 'owner',
      organisation: 'chat',
      api_key: expect.stringMatching(/^\w{32}$/),
    });
    const { id, api_key: apiKey } = made as { id: number; api_key: string };
    expect(await accountOf(apiKey)).toMatchObject({ userId: id, role: roles.owner, isBot: false });
  });

  it('creates a user with a password without printing an API key', async () => {
    const terminal = new RecordingTerminal({ input: 'correct horse battery\n' });
    const made = await sut.run(
      "user create pia@example.org -o chat --name 'Pia Password' --password-stdin",
      terminal,
    );
    expect(made).toMatchObject({ exitCode: 0, remarks: '' });
    const { passwordHash, ...sealed } = await world.database.prisma.user.findFirstOrThrow({
      where: { deliveryEmail: 'pia@example.org' },
    });
    expect(passwordHash).toMatch(/^\$argon2id\$/);
    expect(made.output).not.toContain(openSealedApiKey(sealed, sut.secret));
    expect(made.output).not.toContain('correct horse');
  });

  it('applies the rules of the organisation to a new user', async () => {
    const create = (rest: string) => `user create ${rest}`;
    const refusals = [
      create('ada@example.org -o chat --name Ada'),
      create('nowhere -o chat --name Ada'),
      create('new@example.org -o chat --name A'),
    ];
    for (const refusal of refusals)
      expect(await sut.failure(refusal)).toMatchObject({ code: 'refused' });
    expect(await sut.failure('user create a@example.org -o none --name Ada')).toMatchObject({
      code: 'unknown_organisation',
    });
    const weak = new RecordingTerminal({ input: '123456' });
    const command = 'user create weak@example.org -o chat --name Weak --password-stdin';
    expect((await sut.run(command, weak)).exitCode).toBe(1);
    const empty = new RecordingTerminal({ input: '\n' });
    expect((await sut.run(command, empty)).exitCode).toBe(2);
  });

  it('creates a bot with an owner and prints its API key once', async () => {
    const made = await sut.json(
      "bot create deploy@example.org --owner ada@example.org --name 'Deploy Bot'",
    );
    expect(made).toMatchObject({ role: 'member', organisation: 'chat', owner_id: ada.id });
    const { id, api_key: apiKey } = made as { id: number; api_key: string };
    expect(await accountOf(apiKey)).toMatchObject({ userId: id, isBot: true });
    const bot = await world.database.prisma.user.findUniqueOrThrow({ where: { id } });
    expect(bot).toMatchObject({ botOwnerId: ada.id, passwordHash: null });
    expect(openSealedApiKey(bot, sut.secret)).toBe(apiKey);
    expect(
      await sut.failure(`bot create next@example.org --owner ${id} --name Next`),
    ).toMatchObject({
      code: 'refused',
    });
  });

  it('creates no bot for an owner who is deactivated, also meanwhile', async () => {
    const { id } = await world.addPerson('leaver@example.org');
    const create = () => sut.failure(`bot create late@example.org --owner ${id} --name Late`);
    const refused = { code: 'refused', message: 'The owner of the bot is deactivated' };
    const creating = await world.database.transaction(async (transaction) => {
      await lockRealm(transaction, world.realm.id);
      const created = create();
      await untilLockWaits(world.database, 1, 'requires_unique_names');
      const leave = 'UPDATE users SET is_active = false WHERE id = $1';
      await transaction.query('deactivate_leaver', leave, [id]);
      return { created };
    });
    expect(await creating.created).toMatchObject(refused);
    expect(await create()).toMatchObject(refused);
    expect(await world.database.prisma.user.count({ where: { botOwnerId: id } })).toBe(0);
  });

  it('replaces a password and keeps the API key', async () => {
    const eve = await world.addPerson('eve@example.org');
    await world.database.prisma.user.update({
      where: { id: eve.id },
      data: { passwordHash: await hashPassword('known to somebody else') },
    });
    const input = () => new RecordingTerminal({ input: 'correct horse battery\n' });
    const command = 'user set-password eve@example.org --password-stdin';
    const done = await sut.run(command, input());
    expect(done).toMatchObject({ exitCode: 0, remarks: '' });
    expect(done.output).not.toContain('correct horse');
    const row = await world.database.prisma.user.findUniqueOrThrow({ where: { id: eve.id } });
    expect(row.apiKeyHash).toEqual(eve.apiKeyHash);
    const isReplaced = (password: string) => isPassword(password, row.passwordHash);
    expect(await isReplaced('correct horse battery')).toBe(true);
    expect(await isReplaced('known to somebody else')).toBe(false);
    const { actions } = (await sut.json('audit --limit 1')) as { actions: object[] };
    expect(actions).toMatchObject([{ action: 'user.set-password', target: `user ${eve.id}` }]);
    expect(JSON.stringify(actions)).not.toContain('horse');
    const weak = new RecordingTerminal({ input: 'eve@example.org' });
    expect((await sut.run(command, weak)).exitCode).toBe(1);
    expect((await sut.run('user set-password eve@example.org', input())).exitCode).toBe(2);
  });

  it('replaces an API key, refuses the old one and logs out the phones', async () => {
    const { id } = await world.addPerson('mallory@example.org');
    const command = 'user regenerate-key mallory@example.org';
    expect(await sut.run(command)).toMatchObject({ exitCode: 2, output: '' });
    const made = (await sut.json(`${command} --yes`)) as { api_key: string };
    expect(made).toMatchObject({ user: { id }, api_key: expect.stringMatching(/^\w{32}$/) });
    const { keyGeneration, authVersion } = await world.database.prisma.user.findUniqueOrThrow({
      where: { id },
    });
    expect(await accountOf(made.api_key)).toMatchObject({ userId: id, keyGeneration });
    const payload = { userId: id, keyGeneration };
    const outbox = await world.database.prisma.outboxEntry.findMany({
      where: { topic: 'account.logout', payload: { equals: payload } },
    });
    expect(outbox).toHaveLength(1);
    const signOut = { reason: 'key', keyGeneration: keyGeneration - 1 };
    expect(
      await world.database.prisma.event.findMany({ where: { body: { equals: signOut } } }),
    ).toHaveLength(1);
    const redis = openRedis(testRedisUrl(), 'test');
    await untilReady(redis, 5000);
    // Gateways refuse cached sign-ins of lower versions.
    expect(await redis.get(`auth:{u${id}}:version`)).toBe(String(authVersion));
    await closeRedis(redis);
    const { actions } = (await sut.json('audit --limit 1')) as { actions: object[] };
    expect(actions).toMatchObject([{ action: 'user.regenerate-key', target: `user ${id}` }]);
    expect(JSON.stringify(actions)).not.toContain(made.api_key);
  });

  it('refuses the key of a deactivated account and the password of a bot', async () => {
    const { id } = await world.addPerson('gone@example.org');
    await world.database.prisma.user.update({ where: { id }, data: { isActive: false } });
    expect(await sut.failure(`user regenerate-key ${id} --yes`)).toMatchObject({ code: 'refused' });
    await world.database.prisma.user.update({
      where: { id },
      data: { isBot: true, botOwnerId: ada.id },
    });
    const input = new RecordingTerminal({ input: 'correct horse battery' });
    expect((await sut.run(`user set-password ${id} --password-stdin`, input)).exitCode).toBe(1);
  });

  it('records each creation', async () => {
    await sut.json("organisation create audited --name 'Audited'");
    const owner = "user create ann@example.org -o audited --name 'Ann Owner' --role owner";
    const { id } = (await sut.json(owner)) as { id: number };
    const bot = (await sut.json(`bot create audited@example.org --owner ${id} --name Bot`)) as {
      id: number;
      api_key: string;
    };
    const { actions } = (await sut.json('audit --limit 3')) as { actions: object[] };
    const details = { role: 'owner', organisation: 'audited' };
    expect(actions.toReversed()).toMatchObject([
      { action: 'organisation.create', target: 'audited', details: {} },
      { action: 'user.create', target: `user ${id}`, details },
      { action: 'bot.create', target: `user ${bot.id}`, details: { ...details, role: 'member' } },
    ]);
    expect(JSON.stringify(actions)).not.toContain(bot.api_key);
  });
});
