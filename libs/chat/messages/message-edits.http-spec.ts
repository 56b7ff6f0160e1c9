import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { badRequest, idOf, success } from '#test/answers';
import { countStatements } from '#test/count-statements';
import { EventClient } from '#test/event-client';
import { NotifiedPeople } from '#test/message-notifications-world';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson({ fullName: 'Ada' }));
const bea = useFixture(() => mail.organisation.addPerson({ fullName: 'Bea' }));

const edit = (who: Person, id: number, fields: Record<string, unknown>) =>
  who.api.patch(`/messages/${id}`, fields);
const messageOf = async (who: Person, id: number) =>
  (await who.api.get(`/messages/${id}`)).body['message'] as Record<string, unknown>;
const only = { event_types: ['update_message'] };

describe('PATCH /messages/{message_id} with a content', () => {
  it('changes the content, and sends events to all readers', async () => {
    const id = idOf(await sendToPeople(ada, [bea], 'Helo'));
    const clients = [await EventClient.register(ada.api), await EventClient.register(bea.api)];
    expect(await edit(ada, id, { content: '/me *waves*' })).toMatchObject({
      ...success,
      body: { detached_uploads: [] },
    });
    const event = {
      id: expect.any(Number),
      type: 'update_message',
      user_id: ada.id,
      edit_timestamp: expect.any(Number),
      message_id: id,
      message_ids: [id],
      rendering_only: false,
      orig_content: 'Helo',
      orig_rendered_content: '<p>Helo</p>',
      content: '/me *waves*',
      rendered_content: '<p>/me <em>waves</em></p>',
      is_me_message: true,
    };
    const [own, other] = await Promise.all(clients.map((client) => client.drain()));
    expect(own).toEqual([{ ...event, flags: ['read'] }]);
    expect(other).toEqual([{ ...event, flags: [] }]);
    expect(await messageOf(bea, id)).toMatchObject({
      content: '<p>/me <em>waves</em></p>',
      is_me_message: true,
      last_edit_timestamp: expect.any(Number),
      edit_history: [{ user_id: ada.id, timestamp: expect.any(Number), prev_content: 'Helo' }],
    });
    expect(await messageOf(bea, id)).not.toHaveProperty('last_moved_timestamp');
  });

  it('stores a text for a blank content, and nothing for the same content', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    await edit(ada, id, { content: ' \n' });
    expect(await messageOf(ada, id)).toMatchObject({ content: '<p>(deleted)</p>' });
    const client = await EventClient.register(ada.api, only);
    expect(await edit(ada, id, { content: '(deleted)' })).toMatchObject(success);
    expect(await client.drain()).toEqual([]);
  });

  it('changes the mentions and the flags of readers', async () => {
    const channel = await mail.addChannel([ada, bea]);
    const id = idOf(await sendToChannel(ada, channel, 'Hello'));
    const client = await EventClient.register(bea.api, only);
    await edit(ada, id, { content: 'Hello @**Bea**' });
    expect(await client.drain()).toMatchObject([{ flags: ['mentioned'] }]);
    await edit(ada, id, { content: 'Hello @**all**' });
    expect(await client.drain()).toMatchObject([
      { flags: ['stream_wildcard_mentioned', 'wildcard_mentioned'] },
    ]);
    expect((await mail.received(id)).get(bea.id)).toMatchObject({
      isMentioned: false,
      isWildcardMentioned: true,
    });
    await edit(ada, id, { content: 'Hello' });
    expect(await client.drain()).toMatchObject([{ flags: [] }]);
  });

  it('notifies of a new mention, and takes the notification of a removed one back', async () => {
    const people = await NotifiedPeople.in(system);
    const [sender, reader] = [await people.add(), await people.add({}, { fullName: 'Reader' })];
    const channel = await people.mail.addChannel([sender, reader]);
    const id = idOf(await sendToChannel(sender, channel, 'Hello'));
    expect(await people.of(reader)).toEqual([]);
    await edit(sender, id, { content: 'Hello @**Reader**' });
    expect(await people.of(reader)).toMatchObject([
      { kind: 'message', content: { messageId: id, trigger: 'mention' } },
    ]);
    await edit(sender, id, { content: 'Hi @**Reader**' });
    expect(await people.of(reader)).toHaveLength(1);
    await edit(sender, id, { content: 'Hi' });
    expect((await people.of(reader)).filter(({ kind }) => kind === 'remove')).toMatchObject([
      { content: { messageIds: [id] } },
    ]);
    expect(await people.onScreenOf(reader)).toEqual([]);
  });

  it('keeps the notification of a direct message', async () => {
    const people = await NotifiedPeople.in(system);
    const [sender, reader] = [await people.add(), await people.add({}, { fullName: 'Reader' })];
    const id = idOf(await sendToPeople(sender, [reader], '@**Reader**'));
    await edit(sender, id, { content: 'Hi' });
    expect(await people.of(reader)).toHaveLength(1);
    expect(await people.onScreenOf(reader)).toEqual([id]);
  });

  it('changes the links to files, and returns those that nothing links any more', async () => {
    const [kept, dropped, added] = [
      await mail.addFile(ada),
      await mail.addFile(ada),
      await mail.addFile(ada),
    ];
    const id = idOf(await sendToPeople(ada, [bea], `[a](${kept.url}) [b](${dropped.url})`));
    const client = await EventClient.register(ada.api, { event_types: ['attachment'] });
    const { body } = await edit(ada, id, { content: `[a](${kept.url}) [c](${added.url})` });
    expect(body['detached_uploads']).toMatchObject([{ id: dropped.id, message_ids: [] }]);
    expect(await mail.linkedFiles(id)).toEqual([kept.id, added.id]);
    expect(await client.drain()).toMatchObject([
      { op: 'update', attachment: { id: dropped.id, message_ids: [] } },
      { op: 'update', attachment: { id: added.id, message_ids: [id] } },
    ]);
  });

  it('compares the content that the client has edited', async () => {
    const id = idOf(await sendToPeople(ada, [bea], 'Über'));
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    const mismatch = {
      status: 400,
      body: {
        code: 'EXPECTATION_MISMATCH',
        msg: "'prev_content_sha256' value does not match the expected value.",
      },
    };
    const change = (content: string, prev: string) =>
      edit(ada, id, { content, prev_content_sha256: digest(prev) });
    expect(await change('New', 'Other')).toMatchObject(mismatch);
    expect(await change('New', 'Über')).toMatchObject(success);
    const answers = await Promise.all(['One', 'Two'].map((content) => change(content, 'New')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it.each([
    [{}, 'Nothing to change'],
    [{ propagate_mode: 'change_all', content: 'x' }, 'Invalid propagate_mode without topic edit'],
    [{ topic: 'x' }, 'Direct messages cannot have topics.'],
    [{ stream_id: 1 }, 'Direct messages cannot be moved to channels.'],
  ])('refuses %j for a direct message', async (fields, msg) => {
    const id = idOf(await sendToPeople(ada, [bea]));
    expect(await edit(ada, id, fields)).toMatchObject(badRequest(msg));
  });

  it('refuses the message of another account, and one that the caller may not read', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    expect(await edit(bea, id, { content: 'x' })).toMatchObject(
      badRequest("You don't have permission to edit this message"),
    );
    const other = await mail.organisation.addPerson();
    expect(await edit(other, id, { content: 'x' })).toMatchObject(badRequest('Invalid message(s)'));
  });

  it('refuses to mention a group that the caller may not mention', async () => {
    const group = await mail.addGroup([bea], {
      name: 'crew',
      canMentionId: await mail.addGroup([]),
    });
    expect(group).toBeGreaterThan(0);
    const id = idOf(await sendToPeople(ada, [bea]));
    expect(await edit(ada, id, { content: '@*crew*' })).toMatchObject(
      badRequest("You are not allowed to mention user group 'crew'."),
    );
  });

  it('keeps the newest fifty changes', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    await system.database.database.prisma.messageEdit.createMany({
      data: Array.from({ length: 150 }, (_, number) => ({
        messageId: id,
        userId: ada.id,
        editedAt: new Date(),
        prevContent: String(number),
      })),
    });
    await edit(ada, id, { content: 'new' });
    const where = { messageId: id };
    const kept = await system.database.database.prisma.messageEdit.findMany({
      where,
      orderBy: { id: 'asc' },
    });
    expect(kept).toHaveLength(50);
    expect(kept[0]).toMatchObject({ prevContent: '101' });
    expect((await messageOf(ada, id))['edit_history']).toHaveLength(10);
  });

  it('stores both of two edits, or one and a deletion, in some order', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    const client = await EventClient.register(bea.api, only);
    await Promise.all(['One', 'Two'].map((content) => edit(ada, id, { content })));
    const events = await client.drain();
    expect(events).toHaveLength(2);
    expect(events[1]).toMatchObject({ orig_content: events[0]?.['content'] });
    const { raw_content } = (await bea.api.get(`/messages/${id}`)).body;
    expect(raw_content).toBe(events[1]?.['content']);
    const [edited, deleted] = await Promise.all([
      edit(ada, id, { content: 'Three' }),
      ada.api.delete(`/messages/${id}`),
    ]);
    expect(deleted).toMatchObject(success);
    expect([200, 400]).toContain(edited.status);
  });

  it('takes as many statements for many readers as for few', async () => {
    const crowd = await mail.addCrowd(300);
    const [few, many] = [await mail.addChannel([ada]), await mail.addChannel([ada])];
    await system.database.database.prisma.subscription.createMany({
      data: crowd.map(({ id: userId }) => ({ channelId: many.id, userId })),
    });
    const cost = async (channel: { readonly id: number }) => {
      const id = idOf(await sendToChannel(ada, channel));
      return countStatements(() => edit(ada, id, { content: 'Hello @**all**' }));
    };
    await cost(few);
    expect(await cost(many)).toBe(await cost(few));
  });
});
