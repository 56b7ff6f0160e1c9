import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { addOrganisation, type Person } from '#test/organisation';
import { useSystem } from '#test/use-system';

const VARIABLE = 'CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE';

describe.each([
  ['true', false],
  ['false', true],
])(`${VARIABLE}=%s`, (value, seesStranger) => {
  const system = useSystem({
    programs: ['presence', 'api-gateway'],
    environment: { [VARIABLE]: value },
  });
  let guest: Person;
  let companion: Person;
  let stranger: Person;

  beforeAll(async () => {
    const organisation = await addOrganisation(system);
    [companion, stranger] = [await organisation.addPerson(), await organisation.addPerson()];
    guest = await organisation.addPerson({ role: roles.guest });
    const { prisma } = system.database.database;
    const members = await prisma.userGroup.findFirstOrThrow({
      where: { realmId: organisation.id, name: 'role:members' },
    });
    await prisma.realm.update({
      where: { id: organisation.id },
      data: { canAccessAllUsersGroupId: members.id },
    });
    await prisma.channel.create({
      data: {
        realmId: organisation.id,
        name: 'shared',
        subscriptions: { create: [{ userId: guest.id }, { userId: companion.id }] },
      },
    });
    for (const { api } of [companion, stranger, guest]) {
      expect(await api.post('/users/me/presence', { status: 'active' })).toMatchObject(success);
    }
  });

  const seenIn = (presences: unknown): string[] => Object.keys(Object(presences)).toSorted();
  const idsOf = (...people: Person[]) => people.map(({ id }) => String(id)).toSorted();

  it('decides whether a guest sees the presence of people that the guest may not see', async () => {
    const visible = idsOf(companion, guest, ...(seesStranger ? [stranger] : []));
    const fields = { status: 'active', last_update_id: -1 };
    const polled = await guest.api.post('/users/me/presence', fields);
    expect(seenIn(polled.body['presences'])).toEqual(visible);
    const registered = await guest.api.post('/register', {
      fetch_event_types: ['presence'],
      slim_presence: true,
    });
    expect(seenIn(registered.body['presences'])).toEqual(visible);
    const { body } = await guest.api.get('/realm/presence');
    expect(seenIn(body['presences'])).toHaveLength(visible.length);
    const status = seesStranger ? 200 : 400;
    expect(await guest.api.get(`/users/${stranger.id}/presence`)).toMatchObject({ status });
    expect(await guest.api.get(`/users/${companion.id}/presence`)).toMatchObject({ status: 200 });
  });

  it('leaves others what they see', async () => {
    const { body } = await companion.api.post('/users/me/presence', {
      status: 'active',
      last_update_id: -1,
    });
    expect(seenIn(body['presences'])).toEqual(idsOf(companion, guest, stranger));
  });
});
