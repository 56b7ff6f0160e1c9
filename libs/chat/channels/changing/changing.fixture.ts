import { roles } from '#directory/roles';
import type { Person } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import type { System } from '#test/start-system';
import { OrganisationOfChannels } from '../channels-organisation.fixture.js';

/** An organisation for tests of changed channels, with an account of each kind. */
export interface ChangingWorld {
  readonly world: OrganisationOfChannels;
  readonly recorded: RecordedEvents;
  readonly owner: Person;
  readonly admin: Person;
  readonly member: Person;
  readonly guest: Person;
}

export async function startChanging(system: System): Promise<ChangingWorld> {
  const world = await OrganisationOfChannels.add(system);
  const { organisation } = world;
  return {
    world,
    recorded: new RecordedEvents(system, organisation),
    owner: await organisation.addPerson({ role: roles.owner }),
    admin: await organisation.addPerson({ role: roles.administrator }),
    member: await organisation.addPerson(),
    guest: await organisation.addPerson({ role: roles.guest }),
  };
}

export const change = ({ api }: Person, id: number, fields: Readonly<Record<string, unknown>>) =>
  api.patch(`/streams/${id}`, fields);

export const archive = ({ api }: Person, id: number) => api.delete(`/streams/${id}`);

export const read = async ({ api }: Person, id: number) =>
  (await api.get(`/streams/${id}`)).body['stream'] as Record<string, unknown>;
