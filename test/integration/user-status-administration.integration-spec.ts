import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { roles } from '#contracts';
import { badRequest, success } from '../support/answers.js';
import { addOrganisation, type Organisation, type Person } from '../support/organisation.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';

jest.setTimeout(60_000);

let system: System;
let organisation: Organisation;
let owner: Person;
let admin: Person;
let target: Person;

beforeAll(async () => {
  system = await startGateway({});
  organisation = await addOrganisation(system);
  owner = await organisation.addPerson({ role: roles.owner });
  admin = await organisation.addPerson({ role: roles.administrator });
});

afterAll(() => system?.stop());

beforeEach(async () => {
  target = await organisation.addPerson();
});

const insufficient = badRequest('Insufficient permission');
const noSuchUser = badRequest('No such user');

const pathOf = ({ id }: { readonly id: number }): string => `/users/${id}/status`;
const text = { status_text: 'in a meeting' };

async function statusOf(person: Person): Promise<unknown> {
  return (await admin.api.get(pathOf(person))).body['status'];
}

describe('POST /users/{user_id}/status', () => {
  it('changes what is sent, and answers with the envelope alone', async () => {
    const reply = await admin.api.post(pathOf(target), { ...text, emoji_name: 'calendar' });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ result: 'success', msg: '' });
    const emoji = { emoji_name: 'calendar', emoji_code: '1f4c5', reaction_type: 'unicode_emoji' };
    expect(await statusOf(target)).toEqual({ ...text, ...emoji });
    await admin.api.post(pathOf(target), { status_text: '' });
    expect(await statusOf(target)).toEqual(emoji);
    await admin.api.post(pathOf(target), { emoji_name: '' });
    expect(await statusOf(target)).toEqual({});
  });

  it('is open to a bot that is an administrator', async () => {
    const { user_id } = system.user('bob');
    const bot = system.api('admin_bot');
    expect(await bot.post(`/users/${user_id}/status`, text)).toMatchObject(success);
  });

  it.each([
    ['a moderator', { role: roles.moderator }],
    ['a member', {}],
    ['a guest', { role: roles.guest }],
    ['a bot', { isBot: true }],
  ])('is not open to %s', async (_who, traits) => {
    const person = await organisation.addPerson(traits);
    expect(await person.api.post(pathOf(target), text)).toMatchObject(insufficient);
    expect(await person.api.post(pathOf(target))).toMatchObject(insufficient);
    expect(await person.api.post(pathOf(person), text)).toMatchObject(insufficient);
    expect(await statusOf(target)).toEqual({});
  });

  it('lets an owner be changed by owners only', async () => {
    expect(await admin.api.post(pathOf(owner), text)).toMatchObject(insufficient);
    expect(await owner.api.post(pathOf(owner), text)).toMatchObject(success);
    expect(await owner.api.post(pathOf(admin), text)).toMatchObject(success);
    expect(await admin.api.post(pathOf(admin), text)).toMatchObject(success);
  });

  it('knows neither strangers nor bots', async () => {
    const bot = await organisation.addPerson({ isBot: true });
    const stranger = { id: system.user('alice').user_id };
    expect(await admin.api.post(pathOf({ id: 2_147_483_647 }), text)).toMatchObject(noSuchUser);
    expect(await admin.api.post(pathOf({ id: 0 }), text)).toMatchObject(noSuchUser);
    expect(await admin.api.post(pathOf(stranger), text)).toMatchObject(noSuchUser);
    expect(await admin.api.post(pathOf(bot), text)).toMatchObject(noSuchUser);
  });

  it('leaves those alone who are deactivated', async () => {
    const gone = await organisation.addPerson({ isActive: false });
    expect(await admin.api.post(pathOf(gone), text)).toMatchObject(
      badRequest('User is deactivated'),
    );
  });

  it('refuses what is no user’s number', async () => {
    expect(await admin.api.post('/users/99999999999999999999/status', text)).toMatchObject(
      noSuchUser,
    );
    expect(await admin.api.post('/users/abc/status', text)).toMatchObject({ status: 404 });
  });

  it.each([
    [{}, 'Client did not pass any new values.'],
    [
      { emoji_code: '1f697' },
      'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
    ],
    [{ status_text: 'a'.repeat(61) }, 'status_text is too long (limit: 60 characters)'],
    [
      { status_text: 'x', emoji_code: '1f697' },
      'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
    ],
    [{ emoji_name: 'no_such' }, "Emoji 'no_such' does not exist"],
    [
      { emoji_name: 'car', emoji_code: '1f68c', reaction_type: 'unicode_emoji' },
      'Invalid emoji name.',
    ],
    [{ emoji_name: 'car', emoji_code: '1', reaction_type: 'realm_emoji' }, 'Invalid custom emoji.'],
  ])('refuses %j', async (fields, msg) => {
    expect(await admin.api.post(pathOf(target), fields)).toMatchObject(badRequest(msg));
  });

  it('makes nobody invisible', async () => {
    const reply = await admin.api.post(pathOf(target), { ...text, away: true });
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      ignored_parameters_unsupported: ['away'],
    });
    expect(await statusOf(target)).toEqual(text);
    expect(await admin.api.post(pathOf(target), { away: true })).toMatchObject(
      badRequest('Client did not pass any new values.'),
    );
  });

  it('loses nothing of a change that the user makes at the same time', async () => {
    const replies = await Promise.all([
      admin.api.post(pathOf(target), text),
      target.api.post('/users/me/status', { emoji_name: 'car' }),
    ]);
    expect(replies).toMatchObject([success, success]);
    expect(await statusOf(target)).toMatchObject({ ...text, emoji_name: 'car' });
  });
});
