import { describe, expect, it } from '@jest/globals';
import { AttachmentEventRepository, AttachmentEvents } from '#chat/attachments';
import { EventLog, EventRepository } from '#events/log';
import { addOrganisation } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { filePart, multipart } from '#test/uploads-multipart';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
const recorded = useFixture(async () => new RecordedEvents(system, organisation));
const person = useFixture(() => organisation.addPerson());

const upload = (name: string, text: string) =>
  person.api.send('POST', '/user_uploads', multipart(filePart(name, Buffer.from(text))));
const fileNamed = (fileName: string) =>
  system.database.database.prisma.attachment.findFirstOrThrow({
    where: { realmId: organisation.id, fileName },
  });
const shown = async (name: string, message_ids: readonly number[]) => {
  const file = await fileNamed(name);
  return {
    id: file.id,
    name,
    size: Number(file.sizeBytes),
    path_id: file.pathId,
    create_time: Math.floor(file.createdAt.getTime() / 1000),
    message_ids,
  };
};

describe('The events of files', () => {
  it('are sent to the owner after an upload', async () => {
    const events = await recorded.during(() => upload('first.txt', '12345'));
    const attachment = await shown('first.txt', []);
    expect(events).toEqual([
      {
        type: 'attachment',
        body: { op: 'add', attachment, upload_space_used: 5 },
        audience: { userIds: [person.id] },
      },
    ]);
  });

  it('are sent to the owner when messages link the file', async () => {
    await upload('linked.txt', '123');
    const { id } = await fileNamed('linked.txt');
    const { database } = system.database;
    const sut = new AttachmentEvents(
      new AttachmentEventRepository(),
      new EventLog(new EventRepository(database)),
    );
    const sender = await organisation.addPerson();
    const place = await database.prisma.channel.create({
      data: { realmId: organisation.id, name: 'Files' },
    });
    const link = () =>
      database.transaction(async (transaction) => {
        const [message] = await transaction.query<{ id: number }>(
          'message_of_test',
          `INSERT INTO messages (realm_id, sender_id, channel_id, content)
           VALUES ($1, $2, $3, 'a link') RETURNING id`,
          [organisation.id, sender.id, place.id],
        );
        await transaction.query(
          'link_of_test',
          'INSERT INTO attachment_messages (attachment_id, message_id) VALUES ($1, $2)',
          [id, message?.id],
        );
        await sut.linked(transaction, [id]);
        return Number(message?.id);
      });
    let ids: number[] = [];
    const events = await recorded.during(async () => {
      ids = await Promise.all(Array.from({ length: 3 }, link));
    });
    expect(events).toHaveLength(3);
    const attachment = await shown(
      'linked.txt',
      ids.toSorted((left, right) => left - right),
    );
    expect(events.at(-1)).toMatchObject({
      type: 'attachment',
      body: { op: 'update', attachment },
      audience: { userIds: [person.id] },
    });
  });
});
