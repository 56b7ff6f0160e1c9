import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest } from '#test/answers';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());
const reader = useFixture(() => mail.organisation.addPerson());
const other = useFixture(() => mail.organisation.addPerson());
const stranger = useFixture(async () => (await addOrganisation(system)).addPerson());

const send = (to: unknown, type = 'direct') =>
  sender.api.post('/messages', { type, to, content: 'Hello' });

describe('A direct message', () => {
  it.each<[string, () => unknown]>([
    ['ids', () => [reader.id, other.id]],
    ['ids with duplicates', () => [reader.id, other.id, reader.id]],
    ['ids including the sender', () => [sender.id, reader.id, other.id]],
    ['email addresses', () => [reader.email, other.email]],
    ['email addresses in another case', () => [reader.email.toUpperCase(), other.email]],
    ['text with commas', () => `${reader.email}, ${other.email}`],
    ['JSON text with commas', () => JSON.stringify(`${reader.email},${other.email}`)],
  ])('goes to a list of %s', async (_what, toOf) => {
    for (const type of ['direct', 'private']) {
      const { status, body } = await send(toOf(), type);
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          result: 'success',
          msg: '',
          id: expect.any(Number),
          message_url: expect.any(String),
          message_link: expect.any(String),
        },
      });
      expect([...(await mail.received(body['id'])).keys()].toSorted()).toEqual(
        [sender.id, reader.id, other.id].toSorted(),
      );
    }
  });

  it.each<[string, () => unknown]>([
    ['id', () => reader.id],
    ['email address', () => reader.email],
  ])('goes to a single %s', async (_what, toOf) => {
    const { body } = await send(toOf());
    expect([...(await mail.received(body['id'])).keys()]).toEqual([sender.id, reader.id]);
  });

  it('can be a note to oneself', async () => {
    const { body } = await send([sender.id]);
    expect([...(await mail.received(body['id'])).keys()]).toEqual([sender.id]);
  });

  it('ignores a given topic', async () => {
    const fields = { type: 'direct', to: [reader.id], content: 'Hello', topic: 'lunch' };
    const { body } = await sender.api.post('/messages', fields);
    const stored = await system.database.database.prisma.message.findUnique({
      where: { id: Number(body['id']) },
    });
    expect(stored).toMatchObject({ topic: '', channelId: null });
  });

  it.each<[string, unknown, string]>([
    ['nobody', [], 'Message must have recipients'],
    [
      'a deep list',
      '['.repeat(50_000) + ']'.repeat(50_000),
      'Recipients must be a list of user IDs or a list of email addresses',
    ],
    ['number 0', [0], 'Invalid user ID 0'],
    ['number -1', [-1], 'Invalid user ID -1'],
    ['a number beyond', [2_147_483_648], 'Invalid user ID 2147483648'],
    ['an empty address', [''], "Invalid email ''"],
    ['an unknown address', ['no@body.test'], "Invalid email 'no@body.test'"],
    ['an address with a NUL', ['a\0@b'], "Invalid email 'a\0@b'"],
  ])('is rejected for %s', async (_what, to, msg) => {
    expect(await send(to)).toMatchObject(badRequest(msg));
  });

  it('is rejected with the first unknown recipient', async () => {
    const missing = [2_000_000_001, 2_000_000_000];
    expect(await send([reader.id, ...missing])).toMatchObject(
      badRequest('Invalid user ID 2000000001'),
    );
  });

  it('is rejected for a recipient of another organisation', async () => {
    expect(await send([stranger.id])).toMatchObject(badRequest(`Invalid user ID ${stranger.id}`));
    expect(await send([stranger.email])).toMatchObject(
      badRequest(`Invalid email '${stranger.email}'`),
    );
  });

  it('is rejected for a deactivated recipient', async () => {
    const gone = await mail.organisation.addPerson({ isActive: false });
    const refused = badRequest(`'${gone.email}' is no longer using this service.`);
    expect(await send([reader.id, gone.id])).toMatchObject(refused);
    expect(await send([gone.email])).toMatchObject(refused);
  });

  it('is rejected when it is blank', async () => {
    expect(await sendToPeople(sender, [reader], ' ')).toMatchObject(
      badRequest('Message must not be empty'),
    );
  });

  it('reaches only visible accounts when a guest sends it', async () => {
    const { prisma } = system.database.database;
    const own = await Correspondence.in(system);
    const guest = await own.organisation.addPerson({ role: roles.guest });
    const [colleague, unseen] = await own.organisation.addPeople(2);
    if (colleague === undefined || unseen === undefined) throw new Error('Nobody was added');
    await own.addChannel([guest, colleague]);
    const members = await prisma.userGroup.findFirstOrThrow({
      where: { realmId: own.organisation.id, name: 'role:members' },
    });
    await prisma.realm.update({
      where: { id: own.organisation.id },
      data: { canAccessAllUsersGroupId: members.id },
    });
    expect(await sendToPeople(guest, [colleague])).toMatchObject({ status: 200 });
    expect(await sendToPeople(guest, [colleague, unseen])).toMatchObject(
      badRequest(`Invalid user ID ${unseen.id}`),
    );
    expect(
      await guest.api.post('/messages', { type: 'direct', to: unseen.email, content: 'Hello' }),
    ).toMatchObject(badRequest(`Invalid email '${unseen.email}'`));
    expect(await sendToPeople(colleague, [guest])).toMatchObject({ status: 200 });
  });
});
