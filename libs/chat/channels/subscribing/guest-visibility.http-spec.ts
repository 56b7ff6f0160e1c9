import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { EventClient, type ReceivedEvent } from '#test/event-client';
import { commitTogether } from '#test/commit-together';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { systemGroupIds } from '#test/user-groups';
import { GuestVisibility } from './guest-visibility.js';

const system = useGateway();
let organisation: Organisation;
let owner: Person;
let person: Person;
let guest: Person;

const prisma = () => system.database.database.prisma;

/** Adds a channel that the guest may be subscribed to. */
const addChannel = (name: string, ...people: readonly Person[]) =>
  prisma().channel.create({
    data: {
      realmId: organisation.id,
      name,
      subscriptions: { create: people.map(({ id: userId }) => ({ userId })) },
    },
  });

beforeEach(async () => {
  organisation = await addOrganisation(system);
  const { 'role:members': members = 0 } = await systemGroupIds(system, organisation);
  await prisma().realm.update({
    where: { id: organisation.id },
    data: { canAccessAllUsersGroupId: members },
  });
  owner = await organisation.addPerson({ role: roles.owner });
  person = await organisation.addPerson();
  guest = await organisation.addPerson({ role: roles.guest });
});

const introduce = () =>
  owner.api.post('/users/me/subscriptions', {
    subscriptions: [{ name: 'meeting place' }],
    principals: [guest.id],
  });

const part = () =>
  owner.api.delete('/users/me/subscriptions', {
    subscriptions: ['meeting place'],
    principals: [guest.id],
  });

const write = () =>
  person.api.post('/messages', { type: 'direct', to: [guest.id], content: 'Hello' });

const rename = () => person.api.patch('/settings', { full_name: 'New Name' });

const setStatus = () => person.api.post('/users/me/status', { status_text: 'Out' });

/** The events of the guest about the person while both requests are made. */
async function eventsDuring(
  type: string,
  ...requests: readonly Parameters<typeof commitTogether>[2][]
): Promise<ReceivedEvent[]> {
  const client = await EventClient.register(guest.api, {
    client_capabilities: { user_list_incomplete: true },
  });
  const replies = await commitTogether(system, organisation, ...requests);
  expect(replies).toMatchObject(requests.map(() => success));
  return (await client.drain()).filter((event) => event.type === type && concerns(event));
}

const concerns = ({ user_id, person: account }: ReceivedEvent): boolean =>
  (user_id ?? (account as { user_id?: number } | undefined)?.user_id) === person.id;

const orders = [
  ['sent before', (one: typeof rename, other: typeof rename) => [one, other]],
  ['sent after', (one: typeof rename, other: typeof rename) => [other, one]],
] as const;

describe(`${GuestVisibility.name}: a guest comes to see an account at the same time`, () => {
  beforeEach(async () => {
    await addChannel('meeting place', owner, person);
  });

  it.each(orders)('%s a new status', async (_when, ordered) => {
    const events = await eventsDuring('user_status', ...ordered(introduce, setStatus));
    expect(events).toMatchObject([{ status_text: 'Out' }]);
  });

  it.each(orders)('%s a new name', async (_when, ordered) => {
    const events = await eventsDuring('realm_user', ...ordered(introduce, rename));
    const names = events.map((event) => (event['person'] as { full_name: string }).full_name);
    expect(names.at(-1)).toBe('New Name');
    expect(events[0]).toMatchObject({ op: 'add' });
  });
});

describe(`${GuestVisibility.name}: the last shared channel ends at the same time`, () => {
  beforeEach(async () => {
    await addChannel('meeting place', owner, person, guest);
  });

  it.each(orders)('%s the first message of a conversation', async (_when, ordered) => {
    const events = await eventsDuring('realm_user', ...ordered(part, write));
    const known = events.reduce((_before, { op }) => op === 'add', true);
    expect(known).toBe(true);
  });
});
