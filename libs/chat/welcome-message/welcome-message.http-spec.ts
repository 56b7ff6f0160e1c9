import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administratorsOnly, badRequest } from '#test/answers';
import { startGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';

let system: System;

beforeAll(async () => {
  system = await startGateway({});
});

afterAll(() => system?.stop());

const PATH = '/realm/test_welcome_bot_custom_message';
const send = (name: string, text: string) =>
  system.api(name).post(PATH, { welcome_message_custom_text: text });
const find = (id: unknown) =>
  system.database.database.prisma.message.findUniqueOrThrow({
    where: { id: Number(id) },
    include: { sender: true, recipients: true },
  });

describe(`POST ${PATH}`, () => {
  it.each(['moderator', 'alice', 'guest', 'alice_bot'])(
    'rejects %s before it reads the parameters',
    async (name) => {
      expect(await system.api(name).post(PATH)).toMatchObject(administratorsOnly);
    },
  );

  it('requires a text', async () => {
    expect(await system.api('admin').post(PATH)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'welcome_message_custom_text' },
    });
  });

  it.each(['owner', 'admin', 'admin_bot'])(
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
        realmId: (await find(system.demo.messages['dm_1'])).realmId,
        sender: { fullName: 'Welcome Bot', isSystemBot: true },
      });
      const isReadBy = new Map(message.recipients.map(({ userId, isRead }) => [userId, isRead]));
      expect(isReadBy).toEqual(
        new Map([
          [system.demo.users[name]?.user_id, false],
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
    const { body } = await system.api('admin').post(PATH, fields);
    expect(body['ignored_parameters_unsupported']).toEqual(['to']);
  });
});
