import { describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { filePart, multipart } from '#test/uploads-multipart';

interface Listed {
  readonly id: number;
  readonly name: string;
  readonly path_id: string;
}

const system = useGateway();
let organisation: Organisation;

const upload = ({ api }: Person, name: string, text: string) =>
  api.send('POST', '/user_uploads', multipart(filePart(name, Buffer.from(text))));
const list = async ({ api }: Person) => (await api.get('/attachments')).body;
const filesOf = async (person: Person) => (await list(person))['attachments'] as Listed[];
const onlyFile = async (person: Person): Promise<Listed> => {
  const [file] = await filesOf(person);
  if (file === undefined) throw new Error('The person has no file');
  return file;
};
const remove = ({ api }: Person, id: number | string) => api.delete(`/attachments/${id}`);
const send = (from: Person, to: Person, content: string) =>
  from.api.post('/messages', { type: 'direct', to: [to.id], content });
const invalid = badRequest('Invalid attachment');

describe('GET /attachments', () => {
  it('lists the own files with the messages that link them', async () => {
    organisation = await addOrganisation(system);
    const [owner, reader] = [await organisation.addPerson(), await organisation.addPerson()];
    await upload(owner, 'first.txt', '12345');
    await upload(reader, 'other.txt', '123');
    const file = await onlyFile(owner);
    const sent = await send(owner, reader, `[a](/user_uploads/${file.path_id})`);
    expect(await list(owner)).toMatchObject({
      attachments: [
        {
          id: file.id,
          name: 'first.txt',
          size: 5,
          create_time: expect.any(Number),
          message_ids: [sent.body['id']],
        },
      ],
      upload_space_used: 8,
    });
    await upload(owner, 'second.txt', '1');
    expect((await filesOf(owner)).map(({ name }) => name)).toEqual(['first.txt', 'second.txt']);
  });

  it('returns an empty list', async () => {
    organisation = await addOrganisation(system);
    const person = await organisation.addPerson();
    expect(await list(person)).toMatchObject({ attachments: [], upload_space_used: 0 });
  });
});

describe('DELETE /attachments/{attachment_id}', () => {
  it('removes the file with its bytes, and sends an event only to the owner', async () => {
    organisation = await addOrganisation(system);
    const [owner, reader] = [await organisation.addPerson(), await organisation.addPerson()];
    await upload(owner, 'gone.txt', '12345');
    await upload(reader, 'kept.txt', '123');
    const { id, path_id } = await onlyFile(owner);
    await send(owner, reader, `[a](/user_uploads/${path_id})`);
    const [own, others] = [
      await EventClient.register(owner.api, { event_types: ['attachment'] }),
      await EventClient.register(reader.api, { event_types: ['attachment'] }),
    ];
    expect(await remove(owner, id)).toMatchObject(success);
    expect(await own.drain()).toMatchObject([
      { type: 'attachment', op: 'remove', attachment: { id }, upload_space_used: 3 },
    ]);
    expect(await others.drain()).toEqual([]);
    expect(await list(owner)).toMatchObject({ attachments: [], upload_space_used: 3 });
    expect(await reader.api.get(`/user_uploads/${path_id}`)).toMatchObject({ status: 404 });
  });

  it('finds only files of the caller', async () => {
    organisation = await addOrganisation(system);
    const [owner, other] = [
      await organisation.addPerson(),
      await organisation.addPerson({ role: 100 }),
    ];
    await upload(owner, 'own.txt', '1');
    const { id } = await onlyFile(owner);
    expect(await remove(other, id)).toMatchObject(invalid);
    expect(await remove(owner, 2_147_483_648)).toMatchObject(invalid);
    expect(await remove(owner, 'x')).toMatchObject({ status: 404 });
    expect(await filesOf(owner)).toHaveLength(1);
  });

  it('succeeds once for concurrent requests', async () => {
    organisation = await addOrganisation(system);
    const owner = await organisation.addPerson();
    await upload(owner, 'once.txt', '12');
    const { id } = await onlyFile(owner);
    const replies = await Promise.all(Array.from({ length: 4 }, () => remove(owner, id)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
    expect(await list(owner)).toMatchObject({ upload_space_used: 0 });
  });

  it('keeps messages that link the file at the same time', async () => {
    organisation = await addOrganisation(system);
    const [owner, reader] = [await organisation.addPerson(), await organisation.addPerson()];
    await upload(owner, 'raced.txt', '12');
    const { id, path_id } = await onlyFile(owner);
    const links = Array.from({ length: 3 }, () =>
      send(owner, reader, `[a](/user_uploads/${path_id})`),
    );
    const replies = await Promise.all([...links, remove(owner, id)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await filesOf(owner)).toEqual([]);
  });
});
