import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { generateApiKey, hashApiKey } from '#directory/auth';
import { roles } from '#directory/roles';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { basicAuthorization } from '#test/api-client';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

/** Enough for lists that registrations share. */
const ACCOUNTS = 300;

interface Account {
  readonly user_id: number;
  readonly full_name: string;
  readonly delivery_email: string | null;
}

interface State {
  readonly queue_id: string;
  readonly server_timestamp: number;
  readonly realm_users: readonly Account[];
  readonly realm_non_active_users: readonly Account[];
  readonly realm_user_groups: readonly { readonly members: readonly number[] }[];
}

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
let owner: Person;
let person: Person;

beforeAll(async () => {
  await system.database.database.prisma.user.createMany({
    data: Array.from({ length: ACCOUNTS }, (_, index) => ({
      realmId: organisation.id,
      deliveryEmail: `many${index}@hidden.test`,
      email: `many${index}@${organisation.host}`,
      fullName: `Many ${index}`,
      role: roles.member,
      apiKeyHash: new Uint8Array(hashApiKey(generateApiKey())),
      apiKeySealed: new Uint8Array(),
    })),
  });
  owner = await organisation.addPerson({ role: roles.owner });
  person = await organisation.addPerson();
});

const stateOf = async (caller: Person): Promise<State> => {
  const { text } = await caller.api.post('/register');
  return JSON.parse(text) as State;
};

/** The state of a client that accepts gzip. */
async function compressedState(caller: Person): Promise<State> {
  const outgoing = request(`${system.gatewayUrl}/api/v1/register`, {
    method: 'POST',
    headers: {
      host: caller.host,
      authorization: basicAuthorization(caller),
      'accept-encoding': 'gzip',
    },
  }).end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  expect(incoming.headers['content-encoding']).toBe('gzip');
  return JSON.parse(gunzipSync(await buffer(incoming)).toString()) as State;
}

/** Without what differs for each registration. */
const comparable = ({ queue_id: _id, server_timestamp: _time, ...state }: State) => state;

const named = ({ realm_users }: State, id: number) =>
  realm_users.find(({ user_id }) => user_id === id)?.full_name;

describe('The state of a large organisation', () => {
  it('is the same with and without compression, and from the second registration on', async () => {
    const first = comparable(await stateOf(person));
    expect(first.realm_users).toHaveLength(ACCOUNTS + 2);
    expect(comparable(await stateOf(person))).toEqual(first);
    expect(comparable(await compressedState(person))).toEqual(first);
  });

  it('has a change as soon as the change is answered', async () => {
    expect(named(await stateOf(person), person.id)).not.toBe('Somebody else');
    await person.api.patch('/settings', { full_name: 'Somebody else' });
    expect(named(await stateOf(person), person.id)).toBe('Somebody else');
    expect(named(await stateOf(owner), person.id)).toBe('Somebody else');
  });

  it('shows hidden addresses to administrators only', async () => {
    const addresses = async (caller: Person) =>
      (await stateOf(caller)).realm_users.map((account) => account.delivery_email);
    expect((await addresses(person)).filter((address) => address === null)).toHaveLength(ACCOUNTS);
    expect(await addresses(owner)).not.toContain(null);
  });

  it('shows an account its own hidden address', async () => {
    const deliveryEmail = 'own@hidden.test';
    const hidden = await organisation.addPerson();
    await system.database.database.prisma.user.update({
      where: { id: hidden.id },
      data: { deliveryEmail },
    });
    const api = system.api({ ...hidden, email: deliveryEmail });
    const { realm_users: accounts } = await stateOf({ ...hidden, api });
    const own = accounts.find(({ user_id: id }) => id === hidden.id);
    expect(own?.delivery_email).toBe(deliveryEmail);
  });

  it('has deactivated accounts in another list, and not in groups', async () => {
    const leaving = await organisation.addPerson();
    // An event of an account: this one was added behind the back of the gateway.
    await leaving.api.patch('/settings', { full_name: 'Leaving' });
    const isMember = ({ realm_user_groups }: State) =>
      realm_user_groups.some(({ members }) => members.includes(leaving.id));
    expect(isMember(await stateOf(person))).toBe(true);
    expect((await stateOf(person)).realm_users.map(({ user_id: id }) => id)).toContain(leaving.id);
    await owner.api.delete(`/users/${leaving.id}`);
    const state = await stateOf(person);
    expect(isMember(state)).toBe(false);
    expect(state.realm_non_active_users.map(({ user_id: id }) => id)).toContain(leaving.id);
  });
});
