import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, idOf, success } from '#test/answers';
import { commitTogether } from '#test/commit-together';
import { countStatements } from '#test/count-statements';
import { EventClient } from '#test/event-client';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson());
const bea = useFixture(() => mail.organisation.addPerson());

const pathOf = (id: number) => `/messages/${id}/reactions`;
const add = (who: Person, id: number, fields: object) => who.api.post(pathOf(id), { ...fields });
const remove = (who: Person, id: number, fields: object) =>
  who.api.delete(pathOf(id), { ...fields });
const reactionsOf = async (who: Person, id: number) =>
  Object((await who.api.get(`/messages/${id}`)).body['message']).reactions as unknown;

const thumb = { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' };
const alreadyExists = {
  status: 400,
  body: { code: 'REACTION_ALREADY_EXISTS', msg: 'Reaction already exists.' },
};
const doesNotExist = {
  status: 400,
  body: { code: 'REACTION_DOES_NOT_EXIST', msg: "Reaction doesn't exist." },
};

/** Adds a custom emoji to the organisation; resolves with its code. */
async function addEmoji(name: string, isDeactivated = false): Promise<string> {
  const { id } = await system.database.database.prisma.realmEmoji.create({
    data: { realmId: mail.organisation.id, name, authorId: ada.id, fileKey: name, isDeactivated },
  });
  return String(id);
}

const deactivate = (code: string) =>
  system.database.database.prisma.realmEmoji.update({
    where: { id: Number(code) },
    data: { isDeactivated: true },
  });

describe('POST and DELETE /messages/{message_id}/reactions', () => {
  it('add and remove a reaction, and send events to all readers of the message', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    const [own, other] = await Promise.all([
      EventClient.register(ada.api),
      EventClient.register(bea.api),
    ]);
    expect(await add(bea, id, { emoji_name: '+1' })).toMatchObject(success);
    expect(await reactionsOf(ada, id)).toEqual([{ ...thumb, user_id: bea.id }]);
    const account = { user_id: bea.id, user: { user_id: bea.id } };
    const event = { type: 'reaction', message_id: id, ...account, ...thumb };
    for (const client of [own, other]) {
      expect(await client.drain()).toMatchObject([{ ...event, op: 'add' }]);
    }
    expect(await remove(bea, id, { emoji_name: 'like' })).toMatchObject(success);
    expect(await reactionsOf(ada, id)).toEqual([]);
    for (const client of [own, other]) {
      expect(await client.drain()).toMatchObject([{ ...event, op: 'remove' }]);
    }
  });

  it('give a reaction the name of those with the same emoji', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    await add(ada, id, { emoji_name: 'like' });
    expect(await add(bea, id, { ...thumb, emoji_name: 'no such name' })).toMatchObject(success);
    expect(await reactionsOf(ada, id)).toMatchObject([
      { emoji_name: 'like', user_id: ada.id },
      { emoji_name: 'like', user_id: bea.id },
    ]);
    expect(await add(bea, id, { emoji_name: '+1' })).toMatchObject(alreadyExists);
  });

  it('make a row with `read` and `historical` for a message that was not sent to the caller', async () => {
    const id = idOf(await sendToChannel(ada, await mail.addChannel([ada])));
    const reader = await EventClient.register(bea.api);
    expect(await add(bea, id, { emoji_name: 'tada' })).toMatchObject(success);
    expect((await mail.received(id)).get(bea.id)).toMatchObject({
      isRead: true,
      isHistorical: true,
    });
    expect(await reader.drain()).toMatchObject([{ type: 'reaction', op: 'add', message_id: id }]);
    expect(await remove(bea, id, { emoji_name: 'tada' })).toMatchObject(success);
  });

  it('send events to subscribers who can read the history, and to nobody else', async () => {
    const late = await mail.organisation.addPerson();
    const guest = await mail.organisation.addPerson({ role: roles.guest });
    const channel = await mail.addChannel([ada]);
    const id = idOf(await sendToChannel(ada, channel));
    const data = [late, bea].map(({ id: userId }) => ({ channelId: channel.id, userId }));
    await system.database.database.prisma.subscription.createMany({ data });
    const clients = await Promise.all(
      [late, guest, bea].map((who) => EventClient.register(who.api)),
    );
    await system.database.database.prisma.subscription.updateMany({
      where: { channelId: channel.id, userId: bea.id },
      data: { isActive: false },
    });
    await add(ada, id, { emoji_name: 'tada' });
    const eventCounts = await Promise.all(
      clients.map(async (client) => (await client.drain()).length),
    );
    expect(eventCounts).toEqual([1, 0, 0]);
  });

  it('remove a reaction with a custom emoji that has been deactivated', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    const code = await addEmoji('parrot');
    await add(ada, id, { emoji_name: 'parrot' });
    await add(bea, id, { emoji_name: 'parrot' });
    await deactivate(code);
    expect(await remove(ada, id, { emoji_code: code, reaction_type: 'realm_emoji' })).toMatchObject(
      success,
    );
    expect(await remove(bea, id, { emoji_name: 'parrot' })).toMatchObject(success);
    expect(await reactionsOf(ada, id)).toEqual([]);
  });

  it.each([
    [{}, "Missing 'emoji_name' argument"],
    [{ emoji_name: 'nothing' }, "Emoji 'nothing' does not exist"],
    [{ ...thumb, emoji_code: 'fff' }, 'Invalid emoji code.'],
    [{ ...thumb, emoji_name: 'tada' }, 'Invalid emoji name.'],
    [{ ...thumb, reaction_type: 'sticker' }, 'Invalid emoji type.'],
    [
      { emoji_name: 'x', emoji_code: '999999', reaction_type: 'realm_emoji' },
      'Invalid custom emoji.',
    ],
  ])('refuse to add %j', async (fields, msg) => {
    const id = idOf(await sendToPeople(ada, [bea]));
    expect(await add(ada, id, fields)).toMatchObject({ status: 400, body: { msg } });
  });

  it('refuse a deactivated emoji', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    const gone = await addEmoji('gone', true);
    const custom = { emoji_name: 'gone', emoji_code: gone, reaction_type: 'realm_emoji' };
    expect(await add(ada, id, custom)).toMatchObject(
      badRequest('This custom emoji has been deactivated.'),
    );
  });

  it('refuse to remove what is not there', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    expect(await remove(ada, id, { emoji_name: 'tada' })).toMatchObject(doesNotExist);
    expect(await remove(ada, id, { emoji_code: '1f389' })).toMatchObject(doesNotExist);
    expect(await remove(ada, id, { emoji_name: 'nothing' })).toMatchObject(
      badRequest("Emoji 'nothing' does not exist"),
    );
    expect(await remove(ada, id, {})).toMatchObject(
      badRequest('At least one of the following arguments must be present: emoji_name, emoji_code'),
    );
  });

  it('refuse a message that the caller may not read, or of an archived channel', async () => {
    const hidden = idOf(
      await sendToChannel(ada, await mail.addChannel([ada], { isPrivate: true })),
    );
    const channel = await mail.addChannel([ada, bea]);
    const archived = idOf(await sendToChannel(ada, channel));
    await system.database.database.prisma.channel.update({
      where: { id: channel.id },
      data: { archivedAt: new Date() },
    });
    for (const id of [hidden, archived, 2 ** 40]) {
      for (const change of [add, remove]) {
        expect(await change(bea, id, { emoji_name: 'tada' })).toMatchObject(
          badRequest('Invalid message(s)'),
        );
      }
    }
  });

  it('serve one of two equal requests', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    const added = await Promise.all([1, 2].map(() => add(ada, id, { emoji_name: 'tada' })));
    expect(added.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const removed = await Promise.all([1, 2].map(() => remove(ada, id, { emoji_name: 'tada' })));
    expect(removed.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('wait for a move of the message to another channel', async () => {
    const [from, to] = [await mail.addChannel([ada]), await mail.addChannel([ada])];
    const id = idOf(await sendToChannel(ada, from));
    const replies = await commitTogether(
      system,
      mail.organisation,
      () => ada.api.patch(`/messages/${id}`, { stream_id: to.id }),
      () => add(bea, id, { emoji_name: 'tada' }),
    );
    expect(replies).toMatchObject([success, success]);
  });

  it('allow a limited number of reactions', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    await system.database.database.prisma.messageReaction.createMany({
      data: Array.from({ length: 2000 }, (_, number) => ({
        messageId: id,
        userId: ada.id,
        emojiType: 'unicode_emoji',
        emojiCode: String(number),
        emojiName: 'x',
      })),
    });
    expect(await add(bea, id, { emoji_name: 'tada' })).toMatchObject({
      status: 400,
      body: { code: 'LIMIT_REACHED', msg: 'A message may have at most 2000 reactions.' },
    });
  });

  it('take a bounded number of statements', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    await add(ada, id, { emoji_name: '+1' });
    const counted = await countStatements(() => add(ada, id, { emoji_name: 'tada' }));
    expect(counted).toBeLessThanOrEqual(12);
  });
});
