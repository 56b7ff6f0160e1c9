import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { countStatements } from '#test/count-statements';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());
const reader = useFixture(() => mail.organisation.addPerson());

const mark = (who: Person, channel: { readonly id: number }) =>
  who.api.post('/mark_stream_as_read', { stream_id: channel.id });
const isRead = async (person: Person, id: unknown) =>
  (await mail.received(id)).get(person.id)?.isRead;

const invalid = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Invalid channel ID' } };

describe('POST /mark_stream_as_read', () => {
  it.each([
    [{}, "Missing 'stream_id' argument"],
    [{ stream_id: 'general' }, 'stream_id is not valid JSON'],
    [{ stream_id: '"5"' }, 'stream_id is not an integer'],
    [{ stream_id: 2_147_483_648 }, 'Invalid channel ID'],
  ])('rejects %j', async (fields, msg) => {
    expect(await reader.api.post('/mark_stream_as_read', fields)).toMatchObject({
      status: 400,
      body: { msg },
    });
  });

  it("marks only the caller's messages of the channel", async () => {
    const [channel, other] = [
      await mail.addChannel([sender, reader]),
      await mail.addChannel([sender, reader]),
    ];
    const one = (await sendToChannel(sender, channel)).body['id'];
    const two = (await sendToChannel(sender, channel, 'Hello', 'dinner')).body['id'];
    const elsewhere = (await sendToChannel(sender, other)).body['id'];
    const own = (await sendToChannel(reader, channel)).body['id'];
    const { status, body } = await mark(reader, channel);
    expect({ status, body }).toEqual({ status: 200, body: { result: 'success', msg: '' } });
    expect(await isRead(reader, one)).toBe(true);
    expect(await isRead(reader, two)).toBe(true);
    expect(await isRead(reader, elsewhere)).toBe(false);
    expect(await isRead(sender, own)).toBe(false);
  });

  it('succeeds without unread messages', async () => {
    const channel = await mail.addChannel([sender, reader]);
    expect(await mark(reader, channel)).toMatchObject({ status: 200 });
    await sendToChannel(sender, channel);
    expect(await mark(reader, channel)).toMatchObject({ status: 200 });
    expect(await mark(reader, channel)).toMatchObject({ status: 200 });
    expect(await mark(reader, await mail.addChannel())).toMatchObject({ status: 200 });
  });

  it('reports unsupported parameters', async () => {
    const channel = await mail.addChannel([reader]);
    const fields = { stream_id: channel.id, topic_name: 'lunch' };
    expect((await reader.api.post('/mark_stream_as_read', fields)).body).toEqual({
      result: 'success',
      msg: '',
      ignored_parameters_unsupported: ['topic_name'],
    });
  });

  it('rejects an unknown or archived channel, and one of another organisation', async () => {
    const archived = await mail.addChannel([reader], { archivedAt: new Date() });
    const foreign = { id: system.demo.channels['general'] ?? 0 };
    for (const channel of [{ id: 0 }, { id: 2_147_483_647 }, archived, foreign]) {
      expect(await mark(reader, channel)).toMatchObject(invalid);
    }
  });

  it('rejects a private channel without a subscription, also for administrators', async () => {
    const channel = await mail.addChannel([sender], { isPrivate: true });
    const admin = await mail.organisation.addPerson({ role: roles.administrator });
    const guest = await mail.organisation.addPerson({ role: roles.guest });
    for (const person of [reader, admin, guest]) {
      expect(await mark(person, channel)).toMatchObject(invalid);
    }
    expect(await mark(guest, await mail.addChannel())).toMatchObject(invalid);
    expect(await mark(guest, await mail.addChannel([guest]))).toMatchObject({ status: 200 });
  });

  it('takes as many statements for many messages as for one', async () => {
    const channel = await mail.addChannel([sender, reader]);
    const ids = [(await sendToChannel(sender, channel)).body['id']];
    await mark(reader, channel);
    ids.push((await sendToChannel(sender, channel)).body['id']);
    const forOne = await countStatements(() => mark(reader, channel));
    for (let count = 0; count < 20; count += 1) {
      ids.push((await sendToChannel(sender, channel)).body['id']);
    }
    expect(await countStatements(() => mark(reader, channel))).toBe(forOne);
    for (const id of ids) expect(await isRead(reader, id)).toBe(true);
  });

  it('succeeds for concurrent requests', async () => {
    const channel = await mail.addChannel([sender, reader]);
    for (let count = 0; count < 10; count += 1) await sendToChannel(sender, channel);
    const replies = await Promise.all(Array.from({ length: 8 }, () => mark(reader, channel)));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  });
});
