import { describe, expect, it } from '@jest/globals';
import { badRequest, idOf } from '#test/answers';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson());
const bea = useFixture(() => mail.organisation.addPerson());
const cyd = useFixture(() => mail.organisation.addPerson());

const invalid = badRequest('Invalid message(s)');

describe('GET /messages/{message_id}/history', () => {
  it('returns the versions of a message, oldest first', async () => {
    const channel = await mail.addChannel([ada, bea]);
    const id = idOf(await sendToChannel(ada, channel, 'One', ''));
    const silent = { send_notification_to_new_thread: false };
    await ada.api.patch(`/messages/${id}`, { content: '*Two*' });
    await bea.api.patch(`/messages/${id}`, { topic: 'dinner', ...silent });
    const { body } = await bea.api.get(`/messages/${id}/history`);
    const timestamp = expect.any(Number);
    const one = { content: 'One', rendered_content: '<p>One</p>' };
    const two = { content: '*Two*', rendered_content: '<p><em>Two</em></p>' };
    expect(body['message_history']).toEqual([
      { topic: 'general chat', ...one, timestamp, user_id: ada.id },
      {
        topic: 'general chat',
        ...two,
        timestamp,
        user_id: ada.id,
        prev_content: one.content,
        prev_rendered_content: one.rendered_content,
        content_html_diff:
          '<p><span class="highlight_text_deleted">One</span>' +
          '<em><span class="highlight_text_inserted">Two</span></em></p>',
      },
      { topic: 'dinner', ...two, timestamp, user_id: bea.id, prev_topic: 'general chat' },
    ]);
    const capable = await bea.api.get(`/messages/${id}/history`, { allow_empty_topic_name: true });
    expect(capable.body['message_history']).toMatchObject([
      { topic: '' },
      { topic: '' },
      { prev_topic: '' },
    ]);
  });

  it.each([
    [
      'characters of six bytes of JSON',
      (index: number) => `${index} ${'\u0001'.repeat(9990)}`,
      null,
    ],
    [
      'words in many elements',
      (index: number) => `${index}`,
      (index: number) => `<p>${`<i>${index}</i> `.repeat(10_000)}</p>`,
    ],
  ])('returns the newest versions of a message with long texts: %s', async (_, content, html) => {
    const channel = await mail.addChannel([ada]);
    const id = idOf(await sendToChannel(ada, channel, 'Last', 'dinner'));
    await system.database.database.prisma.messageEdit.createMany({
      data: Array.from({ length: 50 }, (__, index) => ({
        messageId: BigInt(id),
        userId: bea.id,
        editedAt: new Date(1_700_000_000_000 + index * 1000),
        prevContent: content(index),
        prevRendered: html?.(index) ?? null,
      })),
    });
    const { body, text } = await ada.api.get(`/messages/${id}/history`);
    const versions = body['message_history'] as readonly Record<string, unknown>[];
    // At most one version more than the limit.
    expect(Buffer.byteLength(text)).toBeLessThan(6_000_000);
    expect(versions.length).toBeGreaterThan(2);
    expect(versions.length).toBeLessThan(51);
    expect(versions.at(-1)).toMatchObject({ content: 'Last', prev_content: content(49) });
    const [first] = versions;
    expect(first).toMatchObject({ content: content(50 - versions.length + 1), user_id: ada.id });
    expect(first).not.toHaveProperty('prev_content');
  });

  it('returns a direct message as it was sent, without a topic', async () => {
    const id = idOf(await sendToPeople(ada, [bea], 'One'));
    const { body } = await bea.api.get(`/messages/${id}/history`);
    expect(body['message_history']).toMatchObject([{ topic: '', content: 'One', user_id: ada.id }]);
    expect(await cyd.api.get(`/messages/${id}/history`)).toMatchObject(invalid);
  });
});

describe('GET /messages/{message_id}/read_receipts', () => {
  const readersOf = async (who: Person, id: number) =>
    (await who.api.get(`/messages/${id}/read_receipts`)).body['user_ids'];
  const read = (who: Person, id: number) =>
    who.api.post('/messages/flags', { messages: [id], op: 'add', flag: 'read' });

  it('returns who has read a message, without its sender', async () => {
    const id = idOf(await sendToPeople(ada, [bea, cyd]));
    expect(await readersOf(ada, id)).toEqual([]);
    await read(cyd, id);
    await read(bea, id);
    expect(await readersOf(ada, id)).toEqual([bea.id, cyd.id]);
    expect(await readersOf(bea, id)).toEqual([bea.id, cyd.id]);
    const other = await mail.organisation.addPerson();
    expect(await other.api.get(`/messages/${id}/read_receipts`)).toMatchObject(invalid);
  });

  it('leaves out accounts that send no receipts, are deactivated, mute the caller or are muted', async () => {
    const people = await mail.organisation.addPeople(5);
    const [silent, gone, muter, muted, reader] = people as [Person, Person, Person, Person, Person];
    const id = idOf(await sendToPeople(bea, [ada, ...people]));
    for (const person of people) await read(person, id);
    await silent.api.patch('/settings', { send_read_receipts: false });
    await system.database.database.prisma.user.update({
      where: { id: gone.id },
      data: { isActive: false },
    });
    await muter.api.post(`/users/me/muted_users/${ada.id}`);
    await ada.api.post(`/users/me/muted_users/${muted.id}`);
    expect(await readersOf(ada, id)).toEqual([reader.id]);
    expect(await readersOf(bea, id)).toEqual([muter.id, muted.id, reader.id]);
  });

  it('leaves out who mutes the sender: the message arrived as read', async () => {
    const [sender, muter] = (await mail.organisation.addPeople(2)) as [Person, Person];
    await muter.api.post(`/users/me/muted_users/${sender.id}`);
    const id = idOf(await sendToPeople(sender, [muter, ada]));
    expect(await readersOf(ada, id)).toEqual([]);
  });
});
