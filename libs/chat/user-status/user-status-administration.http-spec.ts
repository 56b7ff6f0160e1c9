import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
const owner = useFixture(() => organisation.addPerson({ role: roles.owner }));
const admin = useFixture(() => organisation.addPerson({ role: roles.administrator }));
let target: Person;

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
  it('changes the given parts and answers with an empty envelope', async () => {
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

  it('accepts a bot with the role of an administrator', async () => {
    const bot = await organisation.addPerson({ isBot: true, role: roles.administrator });
    expect(await bot.api.post(pathOf(target), text)).toMatchObject(success);
    expect(await statusOf(target)).toEqual(text);
  });

  it.each([
    ['a moderator', { role: roles.moderator }],
    ['a member', {}],
    ['a guest', { role: roles.guest }],
  ])('rejects %s', async (_caller, traits) => {
    const person = await organisation.addPerson(traits);
    expect(await person.api.post(pathOf(target), text)).toMatchObject(insufficient);
    expect(await person.api.post(pathOf(target))).toMatchObject(insufficient);
    expect(await person.api.post(pathOf(person), text)).toMatchObject(insufficient);
    expect(await statusOf(target)).toEqual({});
  });

  it('changes the status of an owner only for owners', async () => {
    expect(await admin.api.post(pathOf(owner), text)).toMatchObject(insufficient);
    expect(await owner.api.post(pathOf(owner), text)).toMatchObject(success);
    expect(await owner.api.post(pathOf(admin), text)).toMatchObject(success);
    expect(await admin.api.post(pathOf(admin), text)).toMatchObject(success);
  });

  it('rejects a bot', async () => {
    const bot = await organisation.addPerson({ isBot: true });
    expect(await bot.api.post(pathOf(target), text)).toMatchObject(insufficient);
  });

  it('does not find bots and accounts of another organisation', async () => {
    const bot = await organisation.addPerson({ isBot: true });
    const stoppedBot = await organisation.addPerson({ isBot: true, isActive: false });
    const stranger = { id: system.user('alice').user_id };
    expect(await admin.api.post(pathOf({ id: 2_147_483_647 }), text)).toMatchObject(noSuchUser);
    expect(await admin.api.post(pathOf({ id: 0 }), text)).toMatchObject(noSuchUser);
    expect(await admin.api.post(pathOf(stranger), text)).toMatchObject(noSuchUser);
    expect(await admin.api.post(pathOf(bot), text)).toMatchObject(noSuchUser);
    expect(await admin.api.post(pathOf(stoppedBot), text)).toMatchObject(noSuchUser);
    expect(await bot.api.post(pathOf(bot), text)).toMatchObject(noSuchUser);
  });

  it('rejects deactivated accounts', async () => {
    const gone = await organisation.addPerson({ isActive: false });
    expect(await admin.api.post(pathOf(gone), text)).toMatchObject(
      badRequest('User is deactivated'),
    );
  });

  it('rejects invalid ids', async () => {
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
  ])('rejects %j', async (fields, msg) => {
    expect(await admin.api.post(pathOf(target), fields)).toMatchObject(badRequest(msg));
  });

  it('ignores `away`', async () => {
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

  it('keeps a concurrent change by the user', async () => {
    const replies = await Promise.all([
      admin.api.post(pathOf(target), text),
      target.api.post('/users/me/status', { emoji_name: 'car' }),
    ]);
    expect(replies).toMatchObject([success, success]);
    expect(await statusOf(target)).toMatchObject({ ...text, emoji_name: 'car' });
  });
});
