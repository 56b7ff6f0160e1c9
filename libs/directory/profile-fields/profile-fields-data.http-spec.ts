import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest } from '#test/answers';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { ProfileValueRepository } from './profile-value.repository.js';

const PATH = '/users/me/profile_data';

const system = useGateway();
let organisation: Organisation;
let administrator: Person;
let member: Person;
/** The ids of the fields by their types. */
let fields: Readonly<Record<number, number>>;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  administrator = await organisation.addPerson({ role: roles.administrator });
  member = await organisation.addPerson();
  const entries: [number, number][] = [];
  for (const type of [1, 2, 3, 4, 5, 6, 7, 8]) entries.push([type, await addField(type)]);
  fields = Object.fromEntries(entries);
});

async function addField(field_type: number, name = `Field ${field_type}`, more = {}) {
  const data: Readonly<Record<number, unknown>> = {
    3: { vim: { text: 'Vim', order: '1' } },
    7: { subtype: 'custom', url_pattern: 'https://a.example/%(username)s' },
  };
  const field_data = data[field_type] ?? {};
  const reply = await administrator.api.post('/realm/profile_fields', {
    name,
    field_type,
    field_data,
    ...more,
  });
  return Number(reply.body['id']);
}

const change = (data: unknown, { api }: Person = member) => api.patch(PATH, { data });
const remove = (data: unknown, { api }: Person = member) => api.delete(PATH, { data });
const stored = async ({ id }: Person = member) =>
  (await new ProfileValueRepository(system.database.database).profileDataOf([id])).get(id);
const value = (type: number, given: unknown) => ({ id: fields[type], value: given });

describe('PATCH /users/me/profile_data', () => {
  it('fills in fields of every type', async () => {
    const reply = await change([
      value(1, 'a *short* text'),
      value(2, 'two\n\nparagraphs <b>'),
      value(3, 'vim'),
      value(4, '2000-02-29'),
      value(5, 'https://example.com'),
      value(6, [administrator.id, member.id]),
      value(7, 'octocat'),
      value(8, 'they/them'),
    ]);
    expect(reply).toMatchObject({ status: 200 });
    expect(reply.body).toEqual({ result: 'success', msg: '' });
    expect(await stored()).toEqual({
      [`${fields[1]}`]: {
        value: 'a *short* text',
        rendered_value: '<p>a <em>short</em> text</p>',
      },
      [`${fields[2]}`]: {
        value: 'two\n\nparagraphs <b>',
        rendered_value: '<p>two</p>\n<p>paragraphs &lt;b&gt;</p>',
      },
      [`${fields[3]}`]: { value: 'vim' },
      [`${fields[4]}`]: { value: '2000-02-29' },
      [`${fields[5]}`]: { value: 'https://example.com' },
      [`${fields[6]}`]: { value: `[${administrator.id},${member.id}]` },
      [`${fields[7]}`]: { value: 'octocat' },
      [`${fields[8]}`]: { value: 'they/them' },
    });
  });

  it('replaces only the given values of the caller', async () => {
    await change([value(1, 'one'), value(8, 'she')]);
    await change([value(1, 'theirs')], administrator);
    await change([value(1, 'two')]);
    expect(await stored()).toMatchObject({
      [`${fields[1]}`]: { value: 'two' },
      [`${fields[8]}`]: { value: 'she' },
    });
    expect(await stored(administrator)).toMatchObject({ [`${fields[1]}`]: { value: 'theirs' } });
  });

  it.each([null, '', '  ', []])('removes a value for %j', async (nothing) => {
    await change([value(1, 'one')]);
    expect(await change([value(1, nothing)])).toMatchObject({ status: 200 });
    expect(await stored()).toBeUndefined();
  });

  it('stores the last of several values for one field', async () => {
    await change([value(1, 'one'), value(1, 'two')]);
    expect(await stored()).toMatchObject({ [`${fields[1]}`]: { value: 'two' } });
  });

  it('changes nothing for an empty list', async () => {
    expect(await change([])).toMatchObject({ status: 200 });
  });

  it('changes all or nothing', async () => {
    await change([value(8, 'she')]);
    expect(await change([value(1, 'one'), value(8, null), value(4, 'soon')])).toMatchObject(
      badRequest('Field 4 is not a date'),
    );
    expect(await stored()).toEqual({ [`${fields[8]}`]: { value: 'she' } });
  });

  it('accepts concurrent changes', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        change(
          index % 2 === 0
            ? [value(1, `${index}`), value(8, null)]
            : [value(8, `${index}`), value(1, null)],
        ),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(Object.keys((await stored()) ?? {})).toHaveLength(1);
  });

  it('ignores fields that are deleted concurrently', async () => {
    await change([value(1, 'one'), value(8, 'she')]);
    const replies = await Promise.all([
      change([value(1, 'two'), value(8, 'they')]),
      administrator.api.delete(`/realm/profile_fields/${fields[1]}`),
      administrator.api.delete(`/realm/profile_fields/${fields[8]}`),
      change([value(8, 'he'), value(1, 'three')]),
    ]);
    expect(replies.slice(1, 3)).toMatchObject([{ status: 200 }, { status: 200 }]);
    for (const { status } of replies) expect([200, 400]).toContain(status);
    expect(await stored()).toBeUndefined();
  });

  it.each<[number, string, unknown]>([
    [1, 'Field 1 is too long (limit: 50 characters)', '🙂'.repeat(51)],
    [2, 'Field 2 is too long (limit: 500 characters)', '🙂'.repeat(501)],
    [3, "'emacs' is not a valid choice for 'Field 3'.", 'emacs'],
    [4, 'Field 4 is not a date', '2001-02-29'],
    [5, 'Field 5 is not a URL', 'javascript:alert(1)'],
    [6, 'Field 6 is not a list', 'x'],
    [6, 'Invalid user ID: 2147483647', [2_147_483_647]],
    [7, 'Field 7 is too long (limit: 50 characters)', 'x'.repeat(51)],
    [8, 'Field 8 is not a string', [1]],
    [1, 'Invalid data[0]["value"]', 5],
    [1, 'Invalid data[0]["value"]', { a: 1 }],
    [6, 'data[0]["value"][0] is too large', [99_999_999_999]],
  ])('says of type %d: %s', async (type, msg, given) => {
    expect(await change([value(type, given)])).toMatchObject(badRequest(msg));
  });

  it('rejects bots, deactivated accounts and accounts of another organisation', async () => {
    const bot = await organisation.addPerson({ isBot: true });
    const deactivated = await organisation.addPerson({ isActive: false });
    const stranger = await (await addOrganisation(system)).addPerson();
    for (const { id } of [bot, deactivated, stranger]) {
      expect(await change([value(6, [member.id, id])])).toMatchObject(
        badRequest(`Invalid user ID: ${id}`),
      );
    }
  });

  it('accepts only visible accounts from a guest with limited access', async () => {
    const { prisma } = system.database.database;
    const members = await prisma.userGroup.findFirstOrThrow({
      where: { realmId: organisation.id, name: 'role:members' },
    });
    await prisma.realm.update({
      where: { id: organisation.id },
      data: { canAccessAllUsersGroupId: members.id },
    });
    const guest = await organisation.addPerson({ role: roles.guest });
    expect(await change([value(6, [guest.id, member.id])], guest)).toMatchObject(
      badRequest(`Invalid user ID: ${member.id}`),
    );
    expect(await change([value(6, [guest.id])], guest)).toMatchObject({ status: 200 });
    expect(await change([value(6, [guest.id])], member)).toMatchObject({ status: 200 });
  });

  it('does not find unknown fields and fields of another organisation', async () => {
    const { prisma } = system.database.database;
    const { id: realmId } = await addOrganisation(system);
    const { id } = await prisma.profileField.create({
      data: { realmId, name: 'Field', fieldType: 1 },
    });
    for (const unknown of [id, 2_147_483_647]) {
      const notFound = badRequest(`Field id ${unknown} not found.`);
      expect(await change([{ id: unknown, value: 'x' }])).toMatchObject(notFound);
      expect(await remove([unknown])).toMatchObject(notFound);
    }
  });

  it('lets only administrators fill in a field that users cannot edit', async () => {
    const id = await addField(1, 'Badge', { editable_by_user: false });
    const refused = badRequest('Only organization administrators can change this field.');
    expect(await change([{ id, value: 'x' }])).toMatchObject(refused);
    expect(await remove([id])).toMatchObject(refused);
    expect(await change([{ id, value: 'x' }], administrator)).toMatchObject({ status: 200 });
    expect(await remove([id], administrator)).toMatchObject({ status: 200 });
  });

  it.each(Object.entries({ guest: { role: roles.guest }, bot: { isBot: true } }))(
    'is for a %s too',
    async (_who, traits) => {
      const person = await organisation.addPerson(traits);
      expect(await change([value(1, 'x')], person)).toMatchObject({ status: 200 });
      expect(await stored(person)).toBeDefined();
    },
  );

  it('lists unsupported parameters', async () => {
    expect((await member.api.patch(PATH, { data: [], user_id: 1 })).body).toMatchObject({
      ignored_parameters_unsupported: ['user_id'],
    });
  });
});

describe('DELETE /users/me/profile_data', () => {
  it('removes values, also repeatedly', async () => {
    await change([value(1, 'one'), value(8, 'she')]);
    const reply = await remove([fields[1]]);
    expect(reply.body).toEqual({ result: 'success', msg: '' });
    expect(await remove([fields[1]])).toMatchObject({ status: 200 });
    expect(await stored()).toEqual({ [`${fields[8]}`]: { value: 'she' } });
  });

  it('removes all or nothing', async () => {
    await change([value(1, 'one')]);
    expect(await remove([fields[1], 2_147_483_647])).toMatchObject({ status: 400 });
    expect(await stored()).toMatchObject({ [`${fields[1]}`]: { value: 'one' } });
  });
});

describe.each(['PATCH', 'DELETE'] as const)('%s /users/me/profile_data', (method) => {
  it('requires data', async () => {
    expect(await member.api.send(method, PATH)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'data' },
    });
  });

  it.each([
    ['data is not valid JSON', '{'],
    ['data is not a list', '{}'],
    ['data is not a list', '"x"'],
    ['data is too large', `[${'{},'.repeat(500)}{}]`],
    ['data[0]', '["x"]'],
  ])('refuses bad input: %s', async (msg, data) => {
    const reply = method === 'PATCH' ? await change(data) : await remove(data);
    expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(reply.body['msg']).toContain(msg);
  });
});

describe(ProfileValueRepository.name, () => {
  it('returns the values of several accounts', async () => {
    const idle = await organisation.addPerson();
    await change([value(1, 'one')]);
    await change([value(8, 'she')], administrator);
    const sut = new ProfileValueRepository(system.database.database);
    const ids = [member.id, administrator.id, idle.id];
    expect(await sut.profileDataOf(ids)).toEqual(
      new Map<number, unknown>([
        [member.id, { [`${fields[1]}`]: { value: 'one', rendered_value: '<p>one</p>' } }],
        [administrator.id, { [`${fields[8]}`]: { value: 'she' } }],
      ]),
    );
    expect(await sut.profileDataOf([])).toEqual(new Map());
  });
});
