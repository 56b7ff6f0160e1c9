import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { holdPollsOf } from '#test/held-polls';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { systemGroupIds } from '#test/user-groups';

const system = useGateway();
let organisation: Organisation;
let owner: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  owner = await organisation.addPerson({ role: roles.owner });
});

const prisma = () => system.database.database.prisma;
const create = (name: string) =>
  owner.api.post('/users', {
    email: `${name}@chat.test`,
    full_name: name,
    password: 'a long and unusual password',
  });

const addLimitedGuest = async (): Promise<Person> => {
  const groups = await systemGroupIds(system, organisation);
  await prisma().realm.update({
    where: { id: organisation.id },
    data: { canAccessAllUsersGroupId: groups['role:members']! },
  });
  return organisation.addPerson({ role: roles.guest });
};

describe('Polls of accounts', () => {
  const register = async ({ api }: Person, parameters: Readonly<Record<string, unknown>> = {}) => {
    const { body } = await api.post('/register', parameters);
    return { queue_id: String(body['queue_id']), last_event_id: Number(body['last_event_id']) };
  };
  const poll = (
    { api }: Person,
    queue: { queue_id: string; last_event_id: number },
    more: { dont_block?: boolean } = {},
  ) => api.get('/events', { ...queue, ...more });
  const onlyAccounts = { event_types: ['realm_user'], fetch_event_types: [] };

  it('get a change of an account, in the form of the client', async () => {
    const queue = await register(owner, { ...onlyAccounts, client_gravatar: false });
    const computing = await register(owner, onlyAccounts);
    await create('Newcomer');
    const picture = expect.stringMatching(/^\/avatar\/\d+\?version=1$/);
    for (const [given, avatar_url] of [
      [queue, picture],
      [computing, null],
    ] as const) {
      const { body } = await poll(owner, given, { dont_block: true });
      expect(body['events']).toMatchObject([
        { type: 'realm_user', op: 'add', person: { full_name: 'Newcomer', avatar_url } },
      ]);
    }
  });

  it('get the substitute of a new account that the guest may not see', async () => {
    const guest = await addLimitedGuest();
    const queue = await register(guest, onlyAccounts);
    const incomplete = await register(guest, {
      ...onlyAccounts,
      client_capabilities: { user_list_incomplete: true },
    });
    const { body: created } = await create('Hidden');
    await owner.api.patch('/settings', { full_name: 'Also Hidden' });
    const { body } = await poll(guest, queue, { dont_block: true });
    const id = Number(created['user_id']);
    expect(body['events']).toMatchObject([
      {
        op: 'add',
        person: {
          user_id: id,
          full_name: 'Unknown user',
          email: `user${id}@${organisation.host}`,
          is_active: true,
        },
      },
    ]);
    const other = await poll(guest, incomplete, { dont_block: true });
    expect(other.body['events']).toEqual([]);
  });

  it.each([
    ['deactivation', (person: Person) => owner.api.delete(`/users/${person.id}`)],
    ['new key', (person: Person) => person.api.post('/users/me/api_key/regenerate')],
  ])('end with 401 at a %s', async (_, end) => {
    const person = await organisation.addPerson();
    const queue = await register(person, onlyAccounts);
    const held = await holdPollsOf(system, () => poll(person, queue));
    await end(person);
    expect(await held.answer).toMatchObject({ status: 401 });
  });

  it('wait for events again after a reactivation', async () => {
    const person = await organisation.addPerson();
    const earlier = await register(person, onlyAccounts);
    const held = await holdPollsOf(system, () => poll(person, earlier));
    await owner.api.delete(`/users/${person.id}`);
    await held.answer;
    await owner.api.post(`/users/${person.id}/reactivate`);
    const answer = poll(person, await register(person, onlyAccounts));
    await create('Newcomer');
    expect(await answer).toMatchObject({
      status: 200,
      body: { events: [{ person: { full_name: 'Newcomer' } }] },
    });
  });

  it('find the queue after a new key, and none after a deactivation', async () => {
    const person = await organisation.addPerson();
    await register(person, onlyAccounts);
    const queues = () => prisma().eventQueue.count({ where: { userId: person.id } });
    const { body } = await person.api.post('/users/me/api_key/regenerate');
    expect(await queues()).toBe(1);
    const renewed = system.api({ ...person, api_key: String(body['api_key']) });
    await renewed.delete('/users/me');
    expect(await queues()).toBe(0);
  });
});
