import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { administratorsOnly, badRequest } from '#test/answers';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const traits = {
  owner: { role: roles.owner },
  admin: { role: roles.administrator },
  'an administrator’s bot': { role: roles.administrator, isBot: true },
  moderator: { role: roles.moderator },
  member: { role: roles.member },
  guest: { role: roles.guest },
  'a bot': { role: roles.member, isBot: true },
};
type Name = keyof typeof traits;

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
const people = new Map<Name, Person>();

beforeAll(async () => {
  // The keys of `traits`.
  for (const name of Object.keys(traits) as Name[]) {
    people.set(name, await organisation.addPerson(traits[name]));
  }
});

const PATH = '/realm/test_welcome_bot_custom_message';
const personNamed = (name: Name): Person => {
  const person = people.get(name);
  if (person === undefined) throw new Error(`There is no ${name}.`);
  return person;
};
const send = (name: Name, text: string) =>
  personNamed(name).api.post(PATH, { welcome_message_custom_text: text });
const find = (id: unknown) =>
  system.database.database.prisma.message.findUniqueOrThrow({
    where: { id: Number(id) },
    include: { sender: true },
  });

describe(`POST ${PATH}`, () => {
  it.each(['moderator', 'member', 'guest', 'a bot'] as const)(
    'rejects %s before it reads the parameters',
    async (name) => {
      expect(await personNamed(name).api.post(PATH)).toMatchObject(administratorsOnly);
    },
  );

  it('requires a text', async () => {
    expect(await personNamed('admin').api.post(PATH)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'welcome_message_custom_text' },
    });
  });

  it.each(['owner', 'admin', 'an administrator’s bot'] as const)(
    'sends a message from the Welcome Bot to %s only',
    async (name) => {
      const text = `Welcome! Read the **rules**, ${name}.`;
      const { status, body } = await send(name, text);
      expect(status).toBe(200);
      expect(body).toEqual({ result: 'success', msg: '', message_id: expect.any(Number) });
      const message = await find(body['message_id']);
      expect(message).toMatchObject({
        content: text,
        rendered: expect.stringContaining('<strong>rules</strong>'),
        channelId: null,
        realmId: organisation.id,
        sender: { fullName: 'Welcome Bot', isSystemBot: true },
      });
      const rows = await system.database.database.prisma.userMessage.findMany({
        where: { messageId: message.id },
      });
      const isReadBy = new Map(rows.map(({ userId, isRead }) => [userId, isRead]));
      expect(isReadBy).toEqual(
        new Map([
          [personNamed(name).id, false],
          [message.senderId, true],
        ]),
      );
    },
  );

  it.each(['', ' ', '\n\t'])('rejects a blank text: %j', async (text) => {
    expect(await send('admin', text)).toMatchObject(badRequest('Message must not be empty'));
  });

  it('accepts at most 8000 characters, counted as code points', async () => {
    const text = '🎉'.repeat(8000);
    const { status, body } = await send('admin', text);
    expect(status).toBe(200);
    expect(await find(body['message_id'])).toMatchObject({ content: text });
    expect(await send('admin', `${text}x`)).toMatchObject(
      badRequest('welcome_message_custom_text is too long (limit: 8000 characters)'),
    );
  });

  it('sends one message per request, also concurrently', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => send('owner', 'Hello')));
    const ids = new Set(replies.map(({ body }) => body['message_id']));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(ids.size).toBe(5);
  });

  it('lists unsupported parameters', async () => {
    const fields = { welcome_message_custom_text: 'Hello', to: 'everyone' };
    const { body } = await personNamed('admin').api.post(PATH, fields);
    expect(body['ignored_parameters_unsupported']).toEqual(['to']);
  });
});
