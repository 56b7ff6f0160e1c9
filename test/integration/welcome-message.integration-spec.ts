import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administratorsOnly, badRequest } from '../support/answers.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';

let system: System;

beforeAll(async () => {
  system = await startGateway({});
}, 60_000);

afterAll(() => system?.stop());

const PATH = '/realm/test_welcome_bot_custom_message';
const send = (who: string, text: string) =>
  system.api(who).post(PATH, { welcome_message_custom_text: text });
const find = (id: unknown) =>
  system.database.database.prisma.message.findUniqueOrThrow({
    where: { id: Number(id) },
    include: { sender: true, recipients: true },
  });

describe(`POST ${PATH}`, () => {
  it.each(['moderator', 'alice', 'guest', 'alice_bot'])(
    'is not for %s, whatever they send',
    async (name) => {
      expect(await system.api(name).post(PATH)).toMatchObject(administratorsOnly);
    },
  );

  it('asks for a text', async () => {
    expect(await system.api('admin').post(PATH)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'welcome_message_custom_text' },
    });
  });

  it.each(['owner', 'admin', 'admin_bot'])(
    'has the Welcome Bot write to %s alone',
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

  it.each(['', ' ', '\n\t'])('refuses a text without words: %j', async (text) => {
    expect(await send('admin', text)).toMatchObject(badRequest('Message must not be empty'));
  });

  it('takes eight thousand characters, however they are made', async () => {
    const text = '🎉'.repeat(8000);
    const { status, body } = await send('admin', text);
    expect(status).toBe(200);
    expect(await find(body['message_id'])).toMatchObject({ content: text });
    expect(await send('admin', `${text}x`)).toMatchObject(
      badRequest('welcome_message_custom_text is too long (limit: 8000 characters)'),
    );
  });

  it('may be repeated, also at once', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => send('owner', 'Hello')));
    const ids = new Set(replies.map(({ body }) => body['message_id']));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(ids.size).toBe(5);
  });

  it('names parameters that it does not support', async () => {
    const fields = { welcome_message_custom_text: 'Hello', to: 'everyone' };
    const { body } = await system.api('admin').post(PATH, fields);
    expect(body['ignored_parameters_unsupported']).toEqual(['to']);
  });
});
