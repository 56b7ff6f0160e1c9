import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import {
  Correspondence,
  kindsOfChannel,
  sendToChannel,
  sendToPeople,
} from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());
const reader = useFixture(() => mail.organisation.addPerson());

describe('A link to an uploaded file', () => {
  it('gives the readers access to a file of the sender', async () => {
    const [one, two] = [await mail.addFile(sender), await mail.addFile(sender)];
    const content = `[plan](${one.url}) and ${encodeURI(two.url)}.`;
    const { body } = await sendToPeople(sender, [reader], content);
    expect(await mail.linkedFiles(body['id'])).toEqual([one.id, two.id]);
  });

  it('counts once when repeated, and ignores unknown files', async () => {
    const { id, url } = await mail.addFile(sender);
    const { body } = await sendToPeople(sender, [reader], `${url} ${url} ${url}x`);
    expect(await mail.linkedFiles(body['id'])).toEqual([id]);
  });

  it('gives no access to a file of another account that the sender may not read', async () => {
    const { url } = await mail.addFile(reader);
    const { body } = await sendToPeople(sender, [reader], url);
    expect(await mail.linkedFiles(body['id'])).toEqual([]);
  });

  it('gives access to a file of another account that the sender may read', async () => {
    const { id, url } = await mail.addFile(reader);
    await sendToPeople(reader, [sender], url);
    const channel = await mail.addChannel([sender]);
    const { body } = await sendToChannel(sender, channel, url);
    expect(await mail.linkedFiles(body['id'])).toEqual([id]);
  });

  it('is an event for the owner of the file', async () => {
    const { id, url } = await mail.addFile(sender);
    const ids: unknown[] = [];
    const events = await new RecordedEvents(system, mail.organisation).during(async () => {
      ids.push((await sendToPeople(sender, [reader], url)).body['id']);
    });
    expect(events).toContainEqual({
      type: 'attachment',
      body: {
        op: 'update',
        attachment: expect.objectContaining({ id, message_ids: ids }),
        upload_space_used: expect.any(Number),
      },
      audience: { userIds: [sender.id] },
    });
  });

  it.each([
    ['is deleted', (id: unknown) => sender.api.delete(`/messages/${String(id)}`)],
    ['is edited', (id: unknown) => sender.api.patch(`/messages/${String(id)}`, { content: 'No' })],
  ])('has the file cleaned up later when the message %s', async (_, end) => {
    const { attachment } = system.database.database.prisma;
    const { id, url } = await mail.addFile(sender);
    const { body } = await sendToPeople(sender, [reader], url);
    await attachment.update({ where: { id }, data: { claimedAt: new Date(0) } });
    expect((await end(body['id'])).status).toBe(200);
    expect(await attachment.findUnique({ where: { id } })).toMatchObject({
      claimedAt: new Date(0),
      unlinkedAt: expect.any(Date),
    });
  });

  it('gives no access to a file of another organisation', async () => {
    const elsewhere = await Correspondence.in(system);
    const { url } = await elsewhere.addFile(sender);
    const { body } = await sendToPeople(sender, [reader], url);
    expect(await mail.linkedFiles(body['id'])).toEqual([]);
  });
});

describe('A file in a message', () => {
  it.each(kindsOfChannel)(
    'of %s can be linked only by the readers of the message',
    async (_what, traits) => {
      const { prisma } = system.database.database;
      const { organisation } = mail;
      const [received, left, later, never, chosen] = await organisation.addPeople(5);
      const guest = await organisation.addPerson({ role: roles.guest });
      const admin = await organisation.addPerson({ role: roles.administrator });
      if (!received || !left || !later || !never || !chosen) throw new Error('Nobody was added');
      const channel = await mail.addChannel([sender, received, left]);
      const file = await mail.addFile(sender);
      const { body } = await sendToChannel(sender, channel, file.url);
      await prisma.subscription.updateMany({
        where: { channelId: channel.id, userId: left.id },
        data: { isActive: false },
      });
      await prisma.subscription.create({ data: { channelId: channel.id, userId: later.id } });
      const canSubscribeId = await mail.addGroup([chosen]);
      await prisma.channel.update({
        where: { id: channel.id },
        data: { ...traits, canSubscribeId },
      });
      const people = { received, left, later, never, chosen, guest, admin };
      for (const [name, person] of Object.entries(people)) {
        const isReadable = (await person.api.get(`/messages/${String(body['id'])}`)).status === 200;
        const { body: note } = await sendToPeople(person, [person], file.url);
        const isShown = (await mail.linkedFiles(note['id'])).includes(file.id);
        expect({ name, isShown }).toEqual({ name, isShown: isReadable });
        await prisma.message.delete({ where: { id: Number(note['id']) } });
      }
    },
  );
});
