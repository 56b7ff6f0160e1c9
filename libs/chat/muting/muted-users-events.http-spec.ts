import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ReadMessagesService } from '#chat/messages';
import { EventLog, EventRepository } from '#events/log';
import { addOrganisation } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { MutedUserRepository } from './muted-user.repository.js';
import { MutedUserEvents } from './muted-users.events.js';

const system = useGateway();
let sut: MutedUserEvents;

beforeAll(async () => {
  const { database } = system.database;
  // The state is read without it.
  const readMessages = {} as ReadMessagesService;
  sut = new MutedUserEvents(
    new MutedUserRepository(database, readMessages),
    new EventLog(new EventRepository(database)),
  );
});

const path = (id: number) => `/users/me/muted_users/${id}`;

describe(MutedUserEvents.name, () => {
  it('stores the whole list with each change, and nothing with a refused one', async () => {
    const organisation = await addOrganisation(system);
    const recorded = new RecordedEvents(system, organisation);
    const { id, api } = await organisation.addPerson();
    const [first, second] = [await organisation.addPerson(), await organisation.addPerson()];
    const started = Math.floor(Date.now() / 1000);
    const muted = await recorded.during(async () => {
      await api.post(path(first.id));
      await api.post(path(second.id));
      await api.post(path(second.id));
    });
    const state = await recorded.stateOf(sut, { id });
    const list = state['muted_users'] as { id: number; timestamp: number }[];
    expect(list.map((one) => one.id)).toEqual([first.id, second.id]);
    expect(list[0]?.timestamp).toBeGreaterThanOrEqual(started);
    const audience = { userIds: [id] };
    const eventOf = (users: unknown) => ({
      type: 'muted_users',
      body: { muted_users: users },
      audience,
    });
    expect(muted).toEqual([eventOf(list.slice(0, 1)), eventOf(list)]);
    const unmuted = await recorded.during(async () => {
      await api.delete(path(first.id));
      await api.delete(path(first.id));
    });
    expect(unmuted).toEqual([eventOf(list.slice(1))]);
    expect(await recorded.stateOf(sut, second)).toEqual({ muted_users: [] });
  });

  it('stores the list of the last commit last', async () => {
    const organisation = await addOrganisation(system);
    const recorded = new RecordedEvents(system, organisation);
    const { id, api } = await organisation.addPerson();
    const people = await organisation.addPeople(6);
    for (const one of people.slice(0, 3)) await api.post(path(one.id));
    const events = await recorded.during(() =>
      Promise.all(
        people.map((one, index) => (index < 3 ? api.delete(path(one.id)) : api.post(path(one.id)))),
      ),
    );
    expect(events).toHaveLength(6);
    expect(events.at(-1)).toMatchObject({ body: await recorded.stateOf(sut, { id }) });
  });
});
