import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { administratorsOnly, badRequest } from '#test/answers';
import type { Fields } from '#test/api-client';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const PATH = '/realm/playgrounds';
const rust = {
  name: 'Rust playground',
  pygments_language: 'Rust',
  url_template: 'https://play.rust-lang.org/?edition=latest&code={code}',
};

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
const administrator = useFixture(() => organisation.addPerson({ role: roles.administrator }));
let count = 0;

const stored = (realmId = organisation.id) =>
  system.database.database.prisma.playground.findMany({
    where: { realmId },
    orderBy: { id: 'asc' },
  });
const create = (fields: Fields = {}, by = administrator) => {
  count += 1;
  return by.api.post(PATH, { ...rust, name: `Playground ${count}`, ...fields });
};
const fieldError = (member: string, msg: string) => ({
  status: 400,
  body: { result: 'error', code: 'BAD_REQUEST', msg, errors: { [member]: [msg] } },
});

describe('POST /realm/playgrounds', () => {
  it('adds a playground', async () => {
    const other = await addOrganisation(system);
    const owner = await other.addPerson({ role: roles.owner });
    const reply = await owner.api.post(PATH, { ...rust, name: '  Rust  ' });
    const [playground] = await stored(other.id);
    expect(reply).toMatchObject({ status: 200 });
    expect(reply.body).toEqual({ result: 'success', msg: '', id: playground?.id });
    expect(playground).toMatchObject({
      name: 'Rust',
      pygmentsLanguage: 'Rust',
      urlTemplate: rust.url_template,
    });
  });

  it('lists unsupported parameters', async () => {
    const reply = await create({ url_prefix: 'https://example.com/' });
    expect(reply.body).toMatchObject({
      result: 'success',
      ignored_parameters_unsupported: ['url_prefix'],
    });
  });

  it.each([roles.moderator, roles.member, roles.guest])(
    'rejects role %d before it reads the parameters',
    async (role) => {
      const person = await organisation.addPerson({ role });
      expect(await person.api.post(PATH)).toMatchObject(administratorsOnly);
    },
  );

  it('accepts a bot with the role of an administrator', async () => {
    const bot = await organisation.addPerson({ role: roles.administrator, isBot: true });
    expect(await create({}, bot)).toMatchObject({ status: 200 });
  });

  it.each(['name', 'pygments_language', 'url_template'])('requires %s', async (missing) => {
    const fields = Object.fromEntries(Object.entries(rust).filter(([name]) => name !== missing));
    expect(await administrator.api.post(PATH, fields)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: missing },
    });
  });

  it.each([
    [{ name: '🦀'.repeat(101) }, 'name is too long (limit: 100 characters)'],
    [{ pygments_language: 'a'.repeat(41) }, 'pygments_language is too long (limit: 40 characters)'],
    [
      { url_template: `https://a.example/{code}${'a'.repeat(1977)}` },
      'url_template is too long (limit: 2000 characters)',
    ],
    [{ name: 'a\0b' }, 'name has invalid format'],
  ])('rejects invalid input: %j', async (fields, msg) => {
    expect(await create(fields)).toMatchObject(badRequest(msg));
  });

  it.each([
    [{ name: '🦀'.repeat(100) }],
    [{ pygments_language: 'a'.repeat(40) }],
    [{ url_template: `https://a.example/{code}${'a'.repeat(1976)}` }],
  ])('accepts texts of the maximum length', async (fields) => {
    expect(await create(fields)).toMatchObject({ status: 200 });
  });

  it.each([
    ['name', '  ', 'This field cannot be blank.'],
    ['url_template', 'javascript:alert("{code}")', 'Invalid URL template.'],
  ])('reports an invalid field: %s %j', async (member, value, msg) => {
    expect(await create({ [member]: value })).toMatchObject(fieldError(member, msg));
  });

  const taken = 'Realm playground with this Realm, Pygments language and Name already exists.';

  it('rejects a duplicate name for a language of an organisation', async () => {
    const fields = { name: 'Twice' };
    expect(await create(fields)).toMatchObject({ status: 200 });
    expect(await create(fields)).toMatchObject(fieldError('__all__', taken));
    expect(await create({ ...fields, pygments_language: 'C' })).toMatchObject({ status: 200 });
    const elsewhere = await (
      await addOrganisation(system)
    ).addPerson({ role: roles.administrator });
    expect(await create(fields, elsewhere)).toMatchObject({ status: 200 });
  });

  it('adds one of two concurrent duplicates', async () => {
    const replies = await Promise.all([create({ name: 'At once' }), create({ name: 'At once' })]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(replies.find(({ status }) => status === 400)).toMatchObject(
      fieldError('__all__', taken),
    );
  });
});

describe('DELETE /realm/playgrounds/{playground_id}', () => {
  it('removes a playground once', async () => {
    const { body } = await create();
    const path = `${PATH}/${String(body['id'])}`;
    expect((await administrator.api.delete(path)).body).toEqual({ result: 'success', msg: '' });
    expect((await stored()).map(({ id }) => id)).not.toContain(body['id']);
    expect(await administrator.api.delete(path)).toMatchObject(badRequest('Invalid playground'));
  });

  it('does not find a playground of another organisation', async () => {
    const elsewhere = await (await addOrganisation(system)).addPerson({ role: roles.owner });
    const { body } = await create({}, elsewhere);
    const reply = await administrator.api.delete(`${PATH}/${String(body['id'])}`);
    expect(reply).toMatchObject(badRequest('Invalid playground'));
  });

  it('rejects invalid ids', async () => {
    expect(await administrator.api.delete(`${PATH}/99999999999`)).toMatchObject(
      badRequest('Invalid playground'),
    );
    expect(await administrator.api.delete(`${PATH}/x`)).toMatchObject({ status: 404 });
  });

  it('rejects callers who are not administrators', async () => {
    const member = await organisation.addPerson();
    expect(await member.api.delete(`${PATH}/1`)).toMatchObject({
      status: 400,
      body: { code: 'UNAUTHORIZED_PRINCIPAL' },
    });
    expect(await system.anonymous().delete(`${PATH}/1`)).toMatchObject({ status: 401 });
  });
});
