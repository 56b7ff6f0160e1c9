import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { administratorsOnly, badRequest, success } from '#test/answers';
import type { Reply } from '#test/http-request';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { namesOf, OrganisationOfChannels } from '../channels-organisation.fixture.js';
import { subscribeToDefaultChannels } from './default-channel.repository.js';

const system = useGateway();
const world = useFixture(() => OrganisationOfChannels.add(system));
const administrator = useFixture(() => world.organisation.addPerson({ role: roles.administrator }));

const PATH = '/default_streams';
const both = ['POST', 'DELETE'] as const;
type Method = (typeof both)[number];

const send = ({ api }: Pick<Person, 'api'>, method: Method, streamId: unknown): Promise<Reply> =>
  method === 'POST'
    ? api.post(PATH, { stream_id: streamId })
    : api.delete(PATH, { stream_id: streamId });

const isDefault = async (id: number): Promise<boolean> => {
  const { prisma } = system.database.database;
  return (await prisma.channel.findUniqueOrThrow({ where: { id } })).isDefault;
};

const invalidChannel = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Invalid channel ID' } };

describe.each(both)('%s of a default channel', (method) => {
  it.each(['moderator', 'alice', 'guest', 'alice_bot'])(
    'rejects %s before other errors',
    async (who) => {
      expect(await system.api(who).send(method, PATH)).toMatchObject(administratorsOnly);
    },
  );

  it('requires a channel', async () => {
    expect(await administrator.api.send(method, PATH)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'stream_id' },
    });
  });

  it.each([
    ['general', 'stream_id is not valid JSON'],
    ['"5"', 'stream_id is not an integer'],
    ['1.5', 'stream_id is not an integer'],
    ['null', 'stream_id is not an integer'],
  ])('rejects stream_id=%s', async (wrong, msg) => {
    expect(await send(administrator, method, wrong)).toMatchObject(badRequest(msg));
  });

  it.each([0, -1, 2_147_483_647, 1e20])('rejects the unknown channel %d', async (id) => {
    expect(await send(administrator, method, id)).toMatchObject(invalidChannel);
  });

  it('rejects a channel of another organisation', async () => {
    const other = await OrganisationOfChannels.add(system);
    const id = await other.addChannel('theirs', { isDefault: method === 'DELETE' });
    expect(await send(administrator, method, id)).toMatchObject(invalidChannel);
    expect(await isDefault(id)).toBe(method === 'DELETE');
  });

  it('rejects an archived channel', async () => {
    const traits = { isDefault: method === 'DELETE', archivedAt: new Date() };
    const id = await world.addChannel(`${method} archived`, traits);
    expect(await send(administrator, method, id)).toMatchObject(invalidChannel);
    expect(await isDefault(id)).toBe(method === 'DELETE');
  });

  it.each([
    ['an owner', { role: roles.owner }],
    ['an administrator', { role: roles.administrator }],
    ['a bot that is an administrator', { role: roles.administrator, isBot: true }],
  ])('accepts %s', async (who, traits) => {
    const id = await world.addChannel(`${method} by ${who}`, { isDefault: method === 'DELETE' });
    const person = await world.organisation.addPerson(traits);
    const reply = await send(person, method, id);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ result: 'success', msg: '' });
    expect(await isDefault(id)).toBe(method === 'POST');
  });

  it('is idempotent, also for concurrent requests', async () => {
    const id = await world.addChannel(`${method} repeated`, { isDefault: method === 'DELETE' });
    const replies = await Promise.all(
      Array.from({ length: 3 }, () => send(administrator, method, id)),
    );
    replies.push(await send(administrator, method, id));
    for (const reply of replies) expect(reply).toMatchObject(success);
    expect(await isDefault(id)).toBe(method === 'POST');
  });

  it('reads its parameter from the query, and reports unsupported parameters', async () => {
    const id = await world.addChannel(`${method} by query`);
    const reply = await administrator.api.send(method, `${PATH}?stream_id=${id}&name=general`);
    expect(reply.status).toBe(200);
    expect(reply.body['ignored_parameters_unsupported']).toEqual(['name']);
  });

  it('does not change other channels', async () => {
    const other = await world.addChannel(`${method} bystander`, { isDefault: method === 'DELETE' });
    const id = await world.addChannel(`${method} meant`, { isDefault: method === 'DELETE' });
    await send(administrator, method, id);
    expect(await isDefault(other)).toBe(method === 'DELETE');
  });
});

describe('A private channel', () => {
  it('cannot become a default channel', async () => {
    const id = await world.addChannel('private', { isPrivate: true });
    expect(await send(administrator, 'POST', id)).toMatchObject(
      badRequest('Private channels cannot be made default.'),
    );
    expect(await isDefault(id)).toBe(false);
  });

  it('can be removed from the default channels by an administrator without a subscription', async () => {
    const id = await world.addChannel('once public', { isPrivate: true, isDefault: true });
    expect(await send(administrator, 'DELETE', id)).toMatchObject(success);
    expect(await isDefault(id)).toBe(false);
  });
});

describe(subscribeToDefaultChannels.name, () => {
  const subscribe = (userId: number): Promise<void> =>
    system.database.database.transaction((transaction) =>
      subscribeToDefaultChannels(transaction, newcomers.organisation.id, userId),
    );
  const newcomers = useFixture(() => OrganisationOfChannels.add(system));

  beforeAll(async () => {
    const other = await OrganisationOfChannels.add(system);
    await newcomers.addChannel('welcome', { isDefault: true });
    await newcomers.addChannel('news', { isDefault: true });
    await newcomers.addChannel('others', {});
    await newcomers.addChannel('closed down', { isDefault: true, archivedAt: new Date() });
    await other.addChannel('of another organisation', { isDefault: true });
  });

  it('subscribes to the active default channels of the organisation', async () => {
    const { id, api } = await newcomers.organisation.addPerson();
    await subscribe(id);
    expect(namesOf(await api.get('/users/me/subscriptions'))).toEqual(['news', 'welcome']);
  });

  it('keeps an existing subscription', async () => {
    const person = await newcomers.organisation.addPerson();
    await newcomers.addChannel('known', { isDefault: true }, [person]);
    await subscribe(person.id);
    await subscribe(person.id);
    expect(namesOf(await person.api.get('/users/me/subscriptions'))).toEqual([
      'known',
      'news',
      'welcome',
    ]);
  });

  it('subscribes nobody when the creation of the account is rolled back', async () => {
    const { id, api } = await newcomers.organisation.addPerson();
    const failing = system.database.database.transaction(async (transaction) => {
      await subscribeToDefaultChannels(transaction, newcomers.organisation.id, id);
      throw new Error('Something else went wrong.');
    });
    await expect(failing).rejects.toThrow('Something else went wrong.');
    expect(namesOf(await api.get('/users/me/subscriptions'))).toEqual([]);
  });
});
