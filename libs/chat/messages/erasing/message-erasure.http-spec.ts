import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { eventually } from '#test/eventually';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let mail: Correspondence;
let admin: Person;
let leaver: Person;
let reader: Person;

beforeEach(async () => {
  mail = await Correspondence.in(system);
  admin = await mail.organisation.addPerson({ role: roles.administrator });
  [leaver, reader] = (await mail.organisation.addPeople(2)) as [Person, Person];
});

const prisma = () => system.database.database.prisma;
const idIn = async (reply: ReturnType<typeof sendToChannel>) => Number((await reply).body['id']);
const deactivate = (actions: object) => admin.api.delete(`/users/${leaver.id}`, { actions });

/** The messages of an account in all kinds of places. */
async function messagesOf(person: Person) {
  const open = await mail.addChannel([leaver, reader]);
  const closed = await mail.addChannel([leaver, reader], { isPrivate: true });
  const toReader = (content: string) => sendToPeople(person, [reader], content);
  return {
    open: [await idIn(sendToChannel(person, open)), await idIn(sendToChannel(person, open))],
    closed: [await idIn(sendToChannel(person, closed))],
    direct: [await idIn(toReader('One')), await idIn(toReader('Two'))],
  };
}

const kept = async (): Promise<number[]> => {
  const where = { realmId: mail.organisation.id };
  const rows = await prisma().message.findMany({ where, orderBy: { id: 'asc' } });
  return rows.map(({ id }) => Number(id));
};

const pending = () => prisma().messageErasure.findUnique({ where: { userId: leaver.id } });

describe('DELETE /users/{user_id} with actions', () => {
  it('keeps name and messages without them', async () => {
    const { open, closed, direct } = await messagesOf(leaver);
    expect(await deactivate({ delete_profile: false })).toMatchObject(success);
    expect(await pending()).toBeNull();
    expect(await kept()).toEqual([...open, ...closed, ...direct]);
    const row = await prisma().user.findUniqueOrThrow({ where: { id: leaver.id } });
    expect(row.fullName).not.toBe('Deleted user');
  });

  it.each([
    ['delete_public_channel_messages', 'open'],
    ['delete_private_channel_messages', 'closed'],
    ['delete_direct_messages', 'direct'],
  ] as const)('deletes messages, with their events: %s', async (action, kind) => {
    const messages = await messagesOf(leaver);
    const others = await messagesOf(reader);
    const client = await EventClient.register(reader.api, {
      event_types: ['delete_message'],
      client_capabilities: { bulk_message_deletion: true },
    });
    expect(await deactivate({ [action]: true })).toMatchObject(success);
    await eventually(async () => expect(await pending()).toBeNull());
    const stay = [...Object.values(messages), ...Object.values(others)]
      .flat()
      .filter((id) => !messages[kind].includes(id));
    expect(await kept()).toEqual(stay.toSorted((one, other) => one - other));
    expect(await client.drain()).toMatchObject([{ message_ids: messages[kind] }]);
  });

  it('deletes many messages, those of bots too, and none that is sent after a return', async () => {
    const channel = await mail.addChannel([leaver, reader]);
    const bot = await mail.organisation.addPerson({ isBot: true, botOwnerId: leaver.id });
    const old = (senderId: number) => ({
      realmId: mail.organisation.id,
      senderId,
      channelId: channel.id,
      content: 'Hello',
    });
    await prisma().message.createMany({
      data: Array.from({ length: 250 }, (_, index) => old(index % 2 === 0 ? leaver.id : bot.id)),
    });
    const other = await idIn(sendToChannel(reader, channel));
    expect(await deactivate({ delete_public_channel_messages: true })).toMatchObject(success);
    await admin.api.post(`/users/${leaver.id}/reactivate`);
    const later = await idIn(sendToChannel(leaver, channel));
    const where = { userId: { in: [leaver.id, bot.id] } };
    await eventually(async () => expect(await prisma().messageErasure.count({ where })).toBe(0));
    expect(await kept()).toEqual([other, later]);
  });

  it('goes on behind a message that cannot be deleted', async () => {
    const channel = await mail.addChannel([leaver, reader]);
    const ids: number[] = [];
    for (let count = 0; count < 9; count += 1) ids.push(await idIn(sendToChannel(leaver, channel)));
    const stays = ids[4] ?? 0;
    const { database } = system.database;
    await database.query(
      'refusal',
      `CREATE FUNCTION keep_${stays}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF old.id = ${stays} THEN RAISE 'This message is kept.'; END IF; RETURN old; END $$`,
    );
    await database.query(
      'refusing',
      `CREATE TRIGGER keep_${stays} BEFORE DELETE ON messages FOR EACH ROW EXECUTE FUNCTION keep_${stays}()`,
    );
    try {
      expect(await deactivate({ delete_public_channel_messages: true })).toMatchObject(success);
      await eventually(async () => expect(await kept()).toEqual([stays]));
      expect(await pending()).not.toBeNull();
    } finally {
      await database.query('no_refusal', `DROP FUNCTION keep_${stays}() CASCADE`);
    }
  });

  it('gives the account and its bots another name, which several may have', async () => {
    await prisma().realm.update({
      where: { id: mail.organisation.id },
      data: { requiresUniqueNames: true },
    });
    const bot = await mail.organisation.addPerson({ isBot: true, botOwnerId: leaver.id });
    const client = await EventClient.register(reader.api, { event_types: ['realm_user'] });
    expect(await deactivate({ delete_profile: true })).toMatchObject(success);
    const events = await client.drain();
    for (const { id } of [leaver, bot]) {
      const full_name = 'Deleted user';
      const { body } = await reader.api.get(`/users/${id}`);
      expect(body['user']).toMatchObject({ full_name, is_active: false });
      expect(events.map(({ person }) => person)).toContainEqual({ user_id: id, full_name });
    }
  });

  it.each([[{ delete_all: true }], [{ delete_profile: 1 }], ['profile'], [[]]])(
    'refuses %j',
    async (actions) => {
      expect(await deactivate(actions as object)).toMatchObject({ status: 400 });
      const row = await prisma().user.findUniqueOrThrow({ where: { id: leaver.id } });
      expect(row.isActive).toBe(true);
    },
  );
});
