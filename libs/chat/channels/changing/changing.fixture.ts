import { roles } from '#directory/roles';
import type { Person } from '#test/organisation';
import type { System } from '#test/start-system';
import { useOrganisationOfChannels } from '../channels-organisation.fixture.js';

/** An organisation of a test file, with an account of each kind. */
export function useChanging(system: System) {
  const { usePerson, ...shared } = useOrganisationOfChannels(system);
  return {
    ...shared,
    owner: usePerson(roles.owner),
    admin: usePerson(roles.administrator),
    member: usePerson(),
    guest: usePerson(roles.guest),
  };
}

export const change = ({ api }: Person, id: number, fields: Readonly<Record<string, unknown>>) =>
  api.patch(`/streams/${id}`, fields);

export const archive = ({ api }: Person, id: number) => api.delete(`/streams/${id}`);

export const read = async ({ api }: Person, id: number) =>
  (await api.get(`/streams/${id}`)).body['stream'] as Record<string, unknown>;
