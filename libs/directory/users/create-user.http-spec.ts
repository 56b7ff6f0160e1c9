import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { administratorsOnly, badRequest } from '#test/answers';
import { addOrganisation, type Organisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway({});

const password = 'kX9#mQ2$ vL5';
let newbies = 0;
const newbie = (): { email: string; password: string; full_name: string } => {
  newbies += 1;
  return { email: `newbie${newbies}@example.com`, password, full_name: `Newbie ${newbies}` };
};

const success = { status: 200, body: { result: 'success', msg: '', user_id: expect.any(Number) } };
const realmOf = (organisation: Organisation) => ({ where: { id: organisation.id } });
const realms = () => system.database.database.prisma.realm;

describe('POST /users', () => {
  it('creates a member that can fetch its API key and use the API', async () => {
    const { email, full_name } = newbie();
    const reply = await system
      .api('admin')
      .post('/users', { email: ` ${email} `, password, full_name: ` ${full_name} ` });
    expect(reply).toMatchObject(success);
    expect(Object.keys(reply.body).toSorted()).toEqual(['msg', 'result', 'user_id']);
    const fetched = await system
      .anonymous()
      .post('/fetch_api_key', { username: email.toUpperCase(), password });
    expect(fetched).toMatchObject({ status: 200, body: { email, user_id: reply.body['user_id'] } });
    const newcomer = system.api({ email, api_key: String(fetched.body['api_key']) });
    const { body } = await newcomer.get('/users/me');
    expect(body).toMatchObject({
      user_id: reply.body['user_id'],
      email,
      delivery_email: email,
      full_name,
      role: 400,
      is_active: true,
      is_bot: false,
      timezone: '',
    });
    expect(Date.parse(String(body['date_joined']))).toBeGreaterThan(Date.now() - 180_000);
  });

  it('subscribes to the default channels that are not archived', async () => {
    const { body } = await system.api('admin').post('/users', newbie());
    const subscriptions = await system.database.database.prisma.subscription.findMany({
      where: { userId: Number(body['user_id']) },
      select: { channelId: true, isActive: true },
      orderBy: { channelId: 'asc' },
    });
    expect(subscriptions).toEqual(
      [system.demo.channels['general'], system.demo.channels['news']]
        .toSorted((one = 0, other = 0) => one - other)
        .map((channelId) => ({ channelId, isActive: true })),
    );
  });

  it('stores password and key only hashed or encrypted', async () => {
    const { body } = await system.api('admin').post('/users', newbie());
    const user = await system.database.database.prisma.user.findUniqueOrThrow({
      where: { id: Number(body['user_id']) },
    });
    expect(user.passwordHash).toMatch(/^\$argon2id\$/);
    expect(user.apiKeyHash).toHaveLength(32);
    expect(user.apiKeySealed.length).toBeGreaterThan(32);
  });

  it('accepts a bot as the caller', async () => {
    expect(await system.api('admin_bot').post('/users', newbie())).toMatchObject(success);
  });

  it('lists unsupported parameters', async () => {
    const reply = await system
      .api('admin')
      .post('/users', { ...newbie(), short_name: 'new', client: 'test' });
    expect(reply.body).toMatchObject({
      result: 'success',
      ignored_parameters_unsupported: ['short_name'],
    });
  });

  it.each(['moderator', 'alice', 'guest', 'alice_bot'])(
    'refuses %s, before the parameters',
    async (who) => {
      expect(await system.api(who).post('/users')).toMatchObject(administratorsOnly);
    },
  );

  it('rejects an administrator outside the group that may create users', async () => {
    const { email } = newbie();
    expect(await system.api('owner').post('/users', { email })).toMatchObject({
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'password' },
    });
    expect(
      await system.api('owner').post('/users', { email, password: '1', full_name: '' }),
    ).toMatchObject(badRequest('User not authorized to create users'));
  });

  it.each([
    [{}, 'email'],
    [{ email: 'x@example.com', full_name: 'Xavier' }, 'password'],
    [{ email: 'x@example.com', password }, 'full_name'],
  ])('misses in %j the %s', async (fields, name) => {
    expect(await system.api('admin').post('/users', fields)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', msg: `Missing '${name}' argument`, var_name: name },
    });
  });

  it.each([
    [{ full_name: '🙂'.repeat(101) }, 'Name too long!'],
    [{ full_name: ' x ' }, 'Name too short!'],
    [{ full_name: 'New@bie' }, 'Invalid characters in name!'],
    [{ full_name: 'New\u0007bie' }, 'Invalid characters in name!'],
    [{ full_name: 'Newbie|12' }, 'Invalid format!'],
    [{ full_name: 'x', email: 'none', password: '1' }, 'Name too short!'],
    [{ email: 'none', password: '1' }, 'Bad name or username'],
    [{ email: '' }, 'Bad name or username'],
    [{ email: `${'x'.repeat(100_000)}@example.com` }, 'Bad name or username'],
    [
      { email: 'x@mailinator.com', password: '1' },
      'Disposable email addresses are not allowed in this organization',
    ],
    [{ email: 'ALICE@demo.carillon.test', password: '1' }, 'Email is already in use.'],
    [{ email: 'dora@demo.carillon.test' }, 'Email is already in use.'],
    [{ password: '12345' }, 'The password is too weak.'],
    [{ password: 'password1' }, 'The password is too weak.'],
    [{ password: '🙂'.repeat(101) }, 'password is too long (limit: 100 characters)'],
    [{ password: 'a\0bcdefghij' }, 'password has invalid format'],
  ])('refuses %j', async (fields, msg) => {
    expect(await system.api('admin').post('/users', { ...newbie(), ...fields })).toMatchObject(
      badRequest(msg),
    );
  });

  it('accepts texts of the minimum and maximum length', async () => {
    const fields = {
      ...newbie(),
      full_name: '🙂'.repeat(100),
      password: '🦊🐙🌵🎷🪐🧩'.repeat(16),
    };
    expect(await system.api('admin').post('/users', fields)).toMatchObject(success);
    expect(
      await system.api('admin').post('/users', { ...newbie(), full_name: 'Bo' }),
    ).toMatchObject(success);
  });
});

describe('POST /users in an organisation with a policy', () => {
  const organisation = useFixture(() =>
    addOrganisation(system, {
      refusesDisposableEmails: false,
      requiresUniqueNames: true,
    }),
  );
  const admin = useFixture(() =>
    organisation.addPerson({ role: roles.administrator, fullName: 'Ada Admin' }),
  );

  beforeAll(async () => {
    await organisation.addPerson({ fullName: 'Gone Person', isActive: false });
  });

  it('accepts all administrators if no group is set', async () => {
    const owner = await organisation.addPerson({ role: roles.owner });
    expect(await admin.api.post('/users', newbie())).toMatchObject(success);
    expect(await owner.api.post('/users', newbie())).toMatchObject(success);
  });

  it('accepts disposable addresses and addresses of another organisation', async () => {
    const fields = { ...newbie(), email: 'x@mailinator.com' };
    expect(await admin.api.post('/users', fields)).toMatchObject(success);
    const elsewhere = { ...newbie(), email: system.user('alice').email };
    expect(await admin.api.post('/users', elsewhere)).toMatchObject(success);
  });

  it.each(['ada ADMIN', ' Gone Person '])(
    'refuses the name %j, which somebody has',
    async (full_name) => {
      expect(
        await admin.api.post('/users', { ...newbie(), full_name, email: 'none' }),
      ).toMatchObject(badRequest('Unique names required in this organization.'));
    },
  );

  it('creates one of two concurrent accounts with one name', async () => {
    const replies = await Promise.all(
      [newbie(), newbie()].map((fields) =>
        admin.api.post('/users', { ...fields, full_name: 'Only One' }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(replies.find(({ status }) => status === 400)).toMatchObject(
      badRequest('Unique names required in this organization.'),
    );
  });

  it('creates one of two concurrent accounts with one address, case-insensitively', async () => {
    const fields = newbie();
    const replies = await Promise.all([
      admin.api.post('/users', fields),
      admin.api.post('/users', { ...newbie(), email: fields.email.toUpperCase() }),
    ]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(replies.find(({ status }) => status === 400)).toMatchObject(
      badRequest('Email is already in use.'),
    );
  });

  it('accepts only addresses of its domains if it has any', async () => {
    await realms().update({
      ...realmOf(organisation),
      data: {
        emailDomains: {
          create: [{ domain: 'own.test' }, { domain: 'wide.test', allowsSubdomains: true }],
        },
      },
    });
    const create = (email: string) => admin.api.post('/users', { ...newbie(), email });
    expect(await create('x@example.com')).toMatchObject(
      badRequest("Email 'x@example.com' not allowed in this organization"),
    );
    expect(await create('x@sub.own.test')).toMatchObject(
      badRequest("Email 'x@sub.own.test' not allowed in this organization"),
    );
    expect(await create('x+y@own.test')).toMatchObject(
      badRequest('Email addresses containing + are not allowed.'),
    );
    expect(await create('x@OWN.test')).toMatchObject(success);
    expect(await create('x@sub.wide.test')).toMatchObject(success);
  });
});
