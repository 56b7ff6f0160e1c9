import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { commitTogether } from '#test/commit-together';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let organisation: Organisation;
let owner: Person;
let admin: Person;
let member: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  owner = await organisation.addPerson({ role: roles.owner });
  admin = await organisation.addPerson({ role: roles.administrator });
  member = await organisation.addPerson();
});

const deactivated = { status: 401, body: { code: 'UNAUTHORIZED', msg: 'Account is deactivated' } };
const refusedPrincipal = (msg: string) => ({
  status: 400,
  body: { result: 'error', code: 'UNAUTHORIZED_PRINCIPAL', msg },
});

const users = () => system.database.database.prisma.user;
const isActive = async ({ id }: Person): Promise<boolean> =>
  (await users().findUniqueOrThrow({ where: { id } })).isActive;
const deactivate = (who: Person, { id }: { readonly id: number }) => who.api.delete(`/users/${id}`);
const reactivate = (who: Person, { id }: { readonly id: number }) =>
  who.api.post(`/users/${id}/reactivate`);

describe.each([
  ['DELETE', (who: Person, id: number | string) => who.api.delete(`/users/${id}`)],
  ['POST', (who: Person, id: number | string) => who.api.post(`/users/${id}/reactivate`)],
] as const)('Both ways: %s', (method, send) => {
  it('rejects callers who are not administrators before it looks up the account', async () => {
    expect(await send(member, 999_999)).toMatchObject(
      refusedPrincipal('Must be an organization administrator'),
    );
  });

  it.each(['999999', '0', '2147483648'])('does not find the unknown account %s', async (id) => {
    expect(await send(admin, id)).toMatchObject(badRequest('No such user'));
  });

  it('answers 404 for a path without a number', async () => {
    expect(await send(admin, 'x')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('does not find accounts of another organisation', async () => {
    expect(await send(admin, system.user('alice').user_id)).toMatchObject(
      badRequest('No such user'),
    );
  });

  it('requires an owner for the account of an owner', async () => {
    const other = await organisation.addPerson({
      role: roles.owner,
      isActive: method === 'DELETE',
    });
    expect(await send(admin, other.id)).toMatchObject(
      refusedPrincipal('Must be an organization owner'),
    );
    expect(await send(owner, other.id)).toMatchObject(success);
  });

  it('requires an owner for an account that becomes an owner at the same moment', async () => {
    const target = await organisation.addPerson({ isActive: method === 'DELETE' });
    const replies = await commitTogether(
      system,
      organisation,
      () => owner.api.patch(`/users/${target.id}`, { role: roles.owner }),
      () => send(admin, target.id),
    );
    const refused = refusedPrincipal('Must be an organization owner');
    expect(replies).toMatchObject([success, refused]);
  });

  it('accepts a bot as the caller', async () => {
    const bot = await organisation.addPerson({ role: roles.administrator, isBot: true });
    const target = await organisation.addPerson({ isActive: method === 'DELETE' });
    expect(await send(bot, target.id)).toMatchObject(success);
  });
});

describe('DELETE /users/{user_id}', () => {
  it('rejects the next request of the account', async () => {
    expect(await member.api.get('/users/me')).toMatchObject({ status: 200 });
    const mailed = { deactivation_notification_comment: '' };
    expect(await admin.api.delete(`/users/${member.id}`, mailed)).toMatchObject(
      badRequest("This server does not support the parameter 'deactivation_notification_comment'."),
    );
    expect(await member.api.get('/users/me')).toMatchObject({ status: 200 });
    const reply = await admin.api.delete(`/users/${member.id}`, { stranger: 'x' });
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      ignored_parameters_unsupported: ['stranger'],
    });
    expect(await member.api.get('/users/me')).toMatchObject(deactivated);
    expect((await admin.api.get(`/users/${member.id}`)).body).toMatchObject({
      user: { is_active: false },
    });
  });

  it('reports an account that is already deactivated', async () => {
    expect(await deactivate(admin, member)).toMatchObject(success);
    expect(await deactivate(admin, member)).toMatchObject(badRequest('User is deactivated'));
  });

  it('succeeds once for concurrent requests', async () => {
    const replies = await Promise.all([deactivate(admin, member), deactivate(owner, member)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(replies.find(({ status }) => status === 400)).toMatchObject(
      badRequest('User is deactivated'),
    );
  });

  it('deactivates the bots of the account', async () => {
    const bot = await organisation.addPerson({ isBot: true });
    const foreign = await organisation.addPerson({ isBot: true });
    await users().update({ where: { id: bot.id }, data: { botOwnerId: member.id } });
    await users().update({ where: { id: foreign.id }, data: { botOwnerId: owner.id } });
    expect(await bot.api.get('/users/me')).toMatchObject({ status: 200 });
    await deactivate(admin, member);
    expect(await bot.api.get('/users/me')).toMatchObject(deactivated);
    expect(await foreign.api.get('/users/me')).toMatchObject({ status: 200 });
  });

  it('deactivates a bot alone', async () => {
    const bot = await organisation.addPerson({ isBot: true });
    await users().update({ where: { id: bot.id }, data: { botOwnerId: member.id } });
    expect(await deactivate(admin, bot)).toMatchObject(success);
    expect(await isActive(member)).toBe(true);
  });

  it('keeps the last owner that is not a bot', async () => {
    await organisation.addPerson({ role: roles.owner, isActive: false });
    await organisation.addPerson({ role: roles.owner, isBot: true });
    expect(await deactivate(owner, owner)).toMatchObject(
      badRequest('Cannot deactivate the only organization owner'),
    );
    expect(await isActive(owner)).toBe(true);
  });

  it('keeps one of two owners who deactivate each other', async () => {
    const other = await organisation.addPerson({ role: roles.owner });
    const replies = await Promise.all([deactivate(owner, other), deactivate(other, owner)]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = replies.find(({ status }) => status !== 200);
    // 401 if the second request arrived after the deactivation of its caller.
    expect(['Cannot deactivate the only organization owner', 'Account is deactivated']).toContain(
      refused?.body['msg'],
    );
    expect([await isActive(owner), await isActive(other)].toSorted()).toEqual([false, true]);
  });

  it('adds an outbox entry that raises the version again', async () => {
    const before = await users().findUniqueOrThrow({ where: { id: member.id } });
    await deactivate(admin, member);
    const after = await users().findUniqueOrThrow({ where: { id: member.id } });
    expect(after.authVersion).toBe(before.authVersion + 1);
    expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
    const promised = await system.database.database.prisma.outboxEntry.findMany({
      where: { payload: { path: ['userId'], equals: member.id } },
    });
    expect(promised).toMatchObject([
      {
        topic: 'account.logout',
        payload: { userId: member.id, keyGeneration: before.keyGeneration },
      },
    ]);
  });
});

describe('DELETE /users/me', () => {
  it('lists unsupported parameters', async () => {
    expect((await member.api.delete('/users/me', { x: '1' })).body).toMatchObject({
      ignored_parameters_unsupported: ['x'],
    });
  });

  it.each([roles.administrator, roles.member, roles.guest])('accepts role %i', async (role) => {
    const leaver = await organisation.addPerson({ role });
    expect(await leaver.api.delete('/users/me')).toMatchObject(success);
    expect(await leaver.api.delete('/users/me')).toMatchObject(deactivated);
  });

  it('keeps the only owner', async () => {
    expect(await owner.api.delete('/users/me')).toMatchObject({
      status: 400,
      body: {
        code: 'CANNOT_DEACTIVATE_LAST_USER',
        msg: 'Cannot deactivate the only organization owner',
        entity: 'organization owner',
        is_last_owner: true,
      },
    });
  });

  it('keeps the only person', async () => {
    const lonely = await addOrganisation(system);
    const person = await lonely.addPerson();
    const bot = await lonely.addPerson({ isBot: true });
    await lonely.addPerson({ isActive: false });
    expect(await person.api.delete('/users/me')).toMatchObject({
      status: 400,
      body: {
        code: 'CANNOT_DEACTIVATE_LAST_USER',
        msg: 'Cannot deactivate the only user',
        entity: 'user',
        is_last_owner: false,
      },
    });
    expect(await bot.api.delete('/users/me')).toMatchObject(success);
  });
});

describe('POST /users/{user_id}/reactivate', () => {
  it('accepts the old API key of the account again', async () => {
    await deactivate(admin, member);
    expect(await member.api.get('/users/me')).toMatchObject(deactivated);
    expect(await reactivate(admin, member)).toMatchObject(success);
    expect(await member.api.get('/users/me')).toMatchObject({ status: 200 });
  });

  it('does not return a bot alone whose owner, now deactivated, knows its key', async () => {
    const bot = await organisation.addPerson({ isBot: true, botOwnerId: member.id });
    await deactivate(admin, member);
    expect(await reactivate(admin, bot)).toMatchObject(
      badRequest('The owner of the bot is deactivated'),
    );
    expect(await bot.api.get('/users/me')).toMatchObject({ status: 401 });
    await reactivate(admin, member);
    expect(await reactivate(admin, bot)).toMatchObject(success);
    expect(await bot.api.get('/users/me')).toMatchObject({ status: 200 });
  });

  it('rejects an active account', async () => {
    expect(await reactivate(admin, member)).toMatchObject(badRequest('User already active'));
  });

  it('succeeds once for concurrent requests', async () => {
    await deactivate(admin, member);
    const replies = await Promise.all([reactivate(admin, member), reactivate(owner, member)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('lists unsupported parameters', async () => {
    await deactivate(admin, member);
    expect((await admin.api.post(`/users/${member.id}/reactivate`, { x: '1' })).body).toMatchObject(
      { ignored_parameters_unsupported: ['x'] },
    );
  });
});
