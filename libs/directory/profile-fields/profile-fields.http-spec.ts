import { beforeEach, describe, expect, it } from '@jest/globals';
import { administratorsOnly, badRequest, idOf, success } from '#test/answers';
import { roles } from '#directory/roles';
import type { Fields } from '#test/api-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const PATH = '/realm/profile_fields';
const editors = { vim: { text: 'Vim', order: '1' }, emacs: { text: 'Emacs', order: '2' } };

const system = useGateway();
let organisation: Organisation;
let administrator: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  administrator = await organisation.addPerson({ role: roles.administrator });
});

const create = (fields: Fields) => administrator.api.post(PATH, { field_type: 1, ...fields });
const listed = async () => (await administrator.api.get(PATH)).body['custom_fields'];

const summaryIsFull = 'Only 2 custom profile fields can be displayed in the profile summary.';
const exists = 'A field with that label already exists.';

describe('POST /realm/profile_fields', () => {
  it('creates a field', async () => {
    const reply = await create({ name: ' Team ', hint: 'Which one?' });
    const id = Number(reply.body['id']);
    expect(reply).toMatchObject({ status: 200 });
    expect(reply.body).toEqual({ result: 'success', msg: '', id: expect.any(Number) });
    expect(await listed()).toEqual([
      {
        id,
        type: 1,
        order: id,
        name: 'Team',
        hint: 'Which one?',
        field_data: '',
        required: false,
        editable_by_user: true,
      },
    ]);
  });

  it('creates a field of every type', async () => {
    const data: Readonly<Record<number, unknown>> = { 3: editors, 7: { subtype: 'github' } };
    for (const field_type of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const field_data = data[field_type] ?? {};
      expect(await create({ name: `${field_type}`, field_type, field_data })).toMatchObject(
        success,
      );
    }
    expect(await listed()).toMatchObject([
      { type: 1, field_data: '' },
      { type: 2, field_data: '' },
      { type: 3, field_data: JSON.stringify(editors) },
      { type: 4, field_data: '' },
      { type: 5, field_data: '' },
      { type: 6, field_data: '' },
      { type: 7, name: 'GitHub username', field_data: '{"subtype":"github"}' },
      { type: 8, field_data: '' },
    ]);
  });

  it('stores all properties of a field', async () => {
    await create({
      name: 'Team',
      display_in_profile_summary: true,
      required: true,
      editable_by_user: false,
      use_for_user_matching: true,
    });
    expect(await listed()).toMatchObject([
      {
        display_in_profile_summary: true,
        required: true,
        editable_by_user: false,
        use_for_user_matching: true,
      },
    ]);
  });

  it('lists unsupported parameters', async () => {
    expect((await create({ name: 'Team', order: 3 })).body).toMatchObject({
      result: 'success',
      ignored_parameters_unsupported: ['order'],
    });
  });

  it('accepts paragraphs in the summary but rejects users', async () => {
    const inSummary = { name: 'Field', display_in_profile_summary: true };
    expect(await create({ ...inSummary, field_type: 6 })).toMatchObject(
      badRequest('Field type not supported for display in profile summary.'),
    );
    expect(await create({ ...inSummary, field_type: 2 })).toMatchObject({ status: 200 });
  });

  it('reports a full summary before any other error', async () => {
    await create({ name: 'One', display_in_profile_summary: true });
    await create({ name: 'Two', display_in_profile_summary: true });
    expect(await create({ name: '', display_in_profile_summary: true })).toMatchObject(
      badRequest(summaryIsFull),
    );
    expect(await create({ name: 'Three' })).toMatchObject({ status: 200 });
  });

  it('reuses the summary slot of a deleted field', async () => {
    const first = idOf(await create({ name: 'One', display_in_profile_summary: true }));
    await create({ name: 'Two', display_in_profile_summary: true });
    await administrator.api.delete(`${PATH}/${first}`);
    expect(await create({ name: 'Three', display_in_profile_summary: true })).toMatchObject(
      success,
    );
  });

  it('accepts two of five concurrent fields in the summary', async () => {
    const names = ['A', 'B', 'C', 'D', 'E'];
    const replies = await Promise.all(
      names.map((name) => create({ name, display_in_profile_summary: true })),
    );
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(3);
    for (const reply of refused) expect(reply).toMatchObject(badRequest(summaryIsFull));
    expect(await listed()).toHaveLength(2);
  });

  it('rejects a duplicate name, in any case', async () => {
    await create({ name: 'Team' });
    expect(await create({ name: ' Team', field_type: 8 })).toMatchObject(badRequest(exists));
    expect(await create({ name: 'team' })).toMatchObject(badRequest(exists));
    const elsewhere = await addOrganisation(system);
    const { api } = await elsewhere.addPerson({ role: roles.owner });
    expect(await api.post(PATH, { name: 'Team', field_type: 1 })).toMatchObject({ status: 200 });
  });

  it('creates one of three concurrent fields with the same name', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => create({ name: 'Team' })));
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(2);
    for (const reply of refused) expect(reply).toMatchObject(badRequest(exists));
  });

  it.each<[Fields, string]>([
    [{ field_type: 'x' }, 'field_type is not valid JSON'],
    [{ field_type: '"1"' }, 'field_type is not an integer'],
    [{ field_type: 99_999_999_999 }, 'field_type is too large'],
    [{ field_type: 9 }, 'Invalid field type.'],
    [{ name: 'a\0' }, 'name has invalid format'],
    [{ required: 1 }, 'required is not a boolean'],
    [{ display_in_profile_summary: 'True' }, 'display_in_profile_summary is not valid JSON'],
    [{ field_data: [] }, 'field_data is not a dict'],
    [{ field_data: '{' }, 'field_data is not valid JSON'],
    [{ field_data: '{"a":"\\ud83d"}' }, 'field_data has invalid format'],
    [{ field_type: 3, field_data: {} }, 'Field must have at least one choice.'],
  ])('refuses bad input: %j', async (fields, msg) => {
    expect(await create({ name: 'Field', ...fields })).toMatchObject(badRequest(msg));
    expect(await listed()).toEqual([]);
  });

  it('requires a type', async () => {
    expect(await administrator.api.post(PATH, { name: 'Team' })).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'field_type' },
    });
  });

  it.each([roles.moderator, roles.member, roles.guest])('rejects role %d', async (role) => {
    const { api } = await organisation.addPerson({ role });
    expect(await api.post(PATH)).toMatchObject(administratorsOnly);
  });
});

describe('GET /realm/profile_fields', () => {
  it('lists the fields for every account of the organisation', async () => {
    const id = idOf(await create({ name: 'Team' }));
    const { api } = await organisation.addPerson({ role: roles.guest });
    expect((await api.get(PATH)).body).toMatchObject({
      result: 'success',
      custom_fields: [{ id, name: 'Team' }],
    });
    expect((await system.api('alice').get(PATH)).body['custom_fields']).not.toContainEqual(
      expect.objectContaining({ id }),
    );
  });
});

describe('PATCH /realm/profile_fields', () => {
  const reorder = (order: unknown) => administrator.api.patch(PATH, { order });

  it('orders the fields, before those that are created later', async () => {
    const [one, two, three] = [
      idOf(await create({ name: 'One' })),
      idOf(await create({ name: 'Two' })),
      idOf(await create({ name: 'Three' })),
    ];
    expect((await reorder([three, one, two])).body).toEqual({ result: 'success', msg: '' });
    const four = idOf(await create({ name: 'Four' }));
    expect(await listed()).toMatchObject([
      { id: three, order: 0 },
      { id: one, order: 1 },
      { id: two, order: 2 },
      { id: four },
    ]);
  });

  it('refuses a list without each field of the organisation exactly once', async () => {
    const elsewhere = await addOrganisation(system);
    const { api } = await elsewhere.addPerson({ role: roles.owner });
    const foreign = Number((await api.post(PATH, { name: 'Team', field_type: 1 })).body['id']);
    const [one, two] = [idOf(await create({ name: 'One' })), idOf(await create({ name: 'Two' }))];
    for (const order of [[], [two], [two, two], [two, one, one], [two, foreign]]) {
      expect(await reorder(order)).toMatchObject(badRequest('Invalid order mapping.'));
    }
    expect(await reorder('x')).toMatchObject(badRequest('order is not valid JSON'));
    expect(await reorder(['a'])).toMatchObject(badRequest('order[0] is not an integer'));
    expect(await listed()).toMatchObject([{ id: one }, { id: two }]);
  });

  it('rejects callers who are not administrators', async () => {
    const { api } = await organisation.addPerson({ role: roles.moderator });
    expect(await api.patch(PATH, { order: [] })).toMatchObject(administratorsOnly);
    expect(await system.anonymous().patch(PATH, { order: [] })).toMatchObject({ status: 401 });
  });
});
