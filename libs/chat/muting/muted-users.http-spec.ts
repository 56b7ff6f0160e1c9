import { beforeEach, describe, expect, it } from '@jest/globals';
import { generateApiKey, hashApiKey } from '#directory/auth';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { countStatements } from '#test/count-statements';
import type { Reply } from '#test/http-request';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { systemGroupIds } from '#test/user-groups';
import { useFixture } from '#test/use-fixture';

const noSuchUser = badRequest('No such user');
const alreadyMuted = badRequest('User already muted');
const notMuted = badRequest('User is not muted');

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
let reader: Person;
let writer: Person;

beforeEach(async () => {
  reader = await organisation.addPerson();
  writer = await organisation.addPerson();
});

const answer = ({ status, body }: Reply) => ({ status, body });
const pathOf = (userId: number | string) => `/users/me/muted_users/${userId}`;
const mute = async ({ api }: Person, userId: number) => answer(await api.post(pathOf(userId)));
const unmute = async ({ api }: Person, userId: number) => answer(await api.delete(pathOf(userId)));

/** The stored ids of the accounts that a user has muted. */
async function mutedBy({ id }: Person): Promise<number[]> {
  const rows = await system.database.database.prisma.mutedUser.findMany({ where: { userId: id } });
  return rows.map(({ mutedUserId }) => mutedUserId);
}

interface Sent {
  readonly sender: Person;
  readonly recipients: readonly Person[];
}

/** Stores a direct message, unread for every recipient; resolves with its id. */
async function send({ sender, recipients }: Sent): Promise<number> {
  const people = [sender, ...recipients].map(({ id }) => id).toSorted((a, b) => a - b);
  const { prisma } = system.database.database;
  const key = { realmId: organisation.id, key: people.join(',') };
  const conversation = await prisma.directConversation.upsert({
    where: { realmId_key: key },
    create: { ...key, members: { create: people.map((userId) => ({ userId })) } },
    update: {},
  });
  const { id } = await prisma.message.create({
    data: {
      realmId: organisation.id,
      senderId: sender.id,
      conversationId: conversation.id,
      content: 'Hello',
    },
  });
  await prisma.userMessage.createMany({
    data: people.map((userId) => ({ userId, messageId: id, isRead: userId === sender.id })),
  });
  return Number(id);
}

/** The ids of the unread messages of a user, in ascending order. */
async function unreadOf({ id }: Person): Promise<number[]> {
  const rows = await system.database.database.prisma.userMessage.findMany({
    where: { userId: id, isRead: false },
    orderBy: { messageId: 'asc' },
  });
  return rows.map(({ messageId }) => Number(messageId));
}

describe.each(['POST', 'DELETE'])('%s /users/me/muted_users/{muted_user_id}', (method) => {
  it('rejects an id that is not a number or has no account', async () => {
    expect(await reader.api.send(method, pathOf('spam'))).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    expect(answer(await reader.api.send(method, pathOf('2147483648')))).toEqual(noSuchUser);
  });

  it('rejects unknown accounts and accounts of another organisation', async () => {
    const foreigner = await (await addOrganisation(system)).addPerson();
    for (const id of [0, 2_147_483_647, foreigner.id]) {
      expect(answer(await reader.api.send(method, pathOf(id)))).toEqual(noSuchUser);
    }
  });
});

describe('muting a user', () => {
  it('is stored', async () => {
    expect(await mute(reader, writer.id)).toEqual(success);
    expect(await mutedBy(reader)).toEqual([writer.id]);
    expect(await mutedBy(writer)).toEqual([]);
  });

  it('rejects the own account', async () => {
    expect(await mute(reader, reader.id)).toEqual(badRequest('Cannot mute self'));
  });

  it('rejects an account that is already muted', async () => {
    expect(await mute(reader, writer.id)).toEqual(success);
    expect(await mute(reader, writer.id)).toEqual(alreadyMuted);
    expect(await mute(writer, reader.id)).toEqual(success);
  });

  it('succeeds once for concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => mute(reader, writer.id)));
    expect(replies.filter(({ status }) => status === 200)).toEqual([success]);
    expect(replies.filter(({ status }) => status !== 200)).toEqual(
      Array.from({ length: 7 }, () => alreadyMuted),
    );
  });

  it('accepts bots and deactivated accounts', async () => {
    const bot = await organisation.addPerson({ isBot: true });
    const gone = await organisation.addPerson({ isActive: false });
    for (const { id } of [bot, gone]) {
      expect(await mute(reader, id)).toEqual(success);
      expect(await unmute(reader, id)).toEqual(success);
    }
  });

  it('accepts system bots', async () => {
    const home = await addOrganisation(system);
    const email = 'notifier@bots.carillon.test';
    const { id } = await system.database.database.prisma.user.create({
      data: {
        realmId: home.id,
        deliveryEmail: email,
        email,
        fullName: 'Notifier',
        role: roles.member,
        isBot: true,
        isSystemBot: true,
        apiKeyHash: new Uint8Array(hashApiKey(generateApiKey())),
        apiKeySealed: new Uint8Array(),
      },
    });
    expect(await mute(reader, id)).toEqual(success);
    expect(await unmute(reader, id)).toEqual(success);
  });

  it('accepts bots and guests as callers', async () => {
    const bot = await organisation.addPerson({ isBot: true });
    const guest = await organisation.addPerson({ role: roles.guest });
    for (const caller of [bot, guest]) {
      expect(await mute(caller, writer.id)).toEqual(success);
      expect(await unmute(caller, writer.id)).toEqual(success);
    }
  });

  it('lists unsupported parameters', async () => {
    const ignored = { ...success.body, ignored_parameters_unsupported: ['spam'] };
    expect((await reader.api.post(pathOf(writer.id), { spam: 1 })).body).toEqual(ignored);
    expect((await reader.api.delete(pathOf(writer.id), { spam: 1 })).body).toEqual(ignored);
  });
});

describe('muting by a guest with limited access to users', () => {
  it('finds only accounts that share a channel or a conversation with the guest', async () => {
    const closed = await addOrganisation(system);
    const { prisma } = system.database.database;
    const ids = await systemGroupIds(system, closed);
    await prisma.realm.update({
      where: { id: closed.id },
      data: { canAccessAllUsersGroupId: ids['role:members'] ?? null },
    });
    const guest = await closed.addPerson({ role: roles.guest });
    const [known, unknown] = [await closed.addPerson(), await closed.addPerson()];
    await prisma.channel.create({
      data: {
        realmId: closed.id,
        name: 'shared',
        subscriptions: { create: [guest, known].map(({ id }) => ({ userId: id })) },
      },
    });
    expect(await mute(guest, known.id)).toEqual(success);
    expect(await mute(guest, unknown.id)).toEqual(noSuchUser);
    expect(await unmute(guest, unknown.id)).toEqual(noSuchUser);
    expect(await unmute(guest, known.id)).toEqual(success);
  });
});

describe('the messages of a muted user', () => {
  it('become read for the caller only', async () => {
    const other = await organisation.addPerson();
    await send({ sender: writer, recipients: [reader] });
    const toBoth = await send({ sender: writer, recipients: [reader, other] });
    const fromOther = await send({ sender: other, recipients: [reader, writer] });

    expect(await mute(reader, writer.id)).toEqual(success);
    expect(await unreadOf(reader)).toEqual([fromOther]);
    expect(await unreadOf(other)).toEqual([toBoth]);
    expect(await unreadOf(writer)).toEqual([fromOther]);
  });

  it('stay unread when the request is rejected', async () => {
    await mute(reader, writer.id);
    const later = await send({ sender: writer, recipients: [reader] });
    expect(await mute(reader, writer.id)).toEqual(alreadyMuted);
    expect(await unreadOf(reader)).toEqual([later]);
  });

  it('stay read after unmuting', async () => {
    await send({ sender: writer, recipients: [reader] });
    await mute(reader, writer.id);
    expect(await unmute(reader, writer.id)).toEqual(success);
    expect(await unreadOf(reader)).toEqual([]);
  });

  it('keep their other flags', async () => {
    const { prisma } = system.database.database;
    const messageId = await send({ sender: writer, recipients: [reader] });
    const row = { userId_messageId: { userId: reader.id, messageId } };
    await prisma.userMessage.update({ where: row, data: { isStarred: true, isMentioned: true } });
    await mute(reader, writer.id);
    expect(await prisma.userMessage.findUnique({ where: row })).toMatchObject({
      isRead: true,
      isStarred: true,
      isMentioned: true,
    });
  });

  it('need the same number of statements for many messages as for one', async () => {
    const other = await organisation.addPerson();
    await unmute(reader, other.id);
    await send({ sender: other, recipients: [reader] });
    const forOne = await countStatements(() => mute(reader, other.id));
    for (let sent = 0; sent < 30; sent += 1) await send({ sender: writer, recipients: [reader] });
    expect(await countStatements(() => mute(reader, writer.id))).toBe(forOne);
    expect(await unreadOf(reader)).toEqual([]);
  });
});

describe('unmuting a user', () => {
  it('is stored', async () => {
    await mute(reader, writer.id);
    expect(await unmute(reader, writer.id)).toEqual(success);
    expect(await mutedBy(reader)).toEqual([]);
  });

  it('rejects accounts that are not muted, including the own account', async () => {
    expect(await unmute(reader, writer.id)).toEqual(notMuted);
    expect(await unmute(reader, reader.id)).toEqual(notMuted);
    await mute(reader, writer.id);
    expect(await unmute(writer, reader.id)).toEqual(notMuted);
  });

  it('succeeds once for concurrent requests', async () => {
    await mute(reader, writer.id);
    const replies = await Promise.all(Array.from({ length: 8 }, () => unmute(reader, writer.id)));
    expect(replies.filter(({ status }) => status === 200)).toEqual([success]);
    expect(replies.filter(({ status }) => status !== 200)).toEqual(
      Array.from({ length: 7 }, () => notMuted),
    );
  });
});
