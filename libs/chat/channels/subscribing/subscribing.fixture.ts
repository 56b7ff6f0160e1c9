import { roles } from '#directory/roles';
import type { Person } from '#test/organisation';
import type { System } from '#test/start-system';
import { useOrganisationOfChannels } from '../channels-organisation.fixture.js';

export const SUBSCRIPTIONS = '/users/me/subscriptions';

/** An organisation of a test file, with accounts. Gateways mark the messages of a left channel as read some time later. */
export function useSubscribing(system: System) {
  const { usePerson, ...shared } = useOrganisationOfChannels(system, ['update_message_flags']);
  return {
    ...shared,
    admin: usePerson(roles.administrator),
    member: usePerson(),
    other: usePerson(),
    guest: usePerson(roles.guest),
  };
}

let names = 0;
export const newName = (): string => `Channel ${(names += 1)} of a test`;

export const unsubscribe = ({ api }: Person, channels: string[], fields: object = {}) =>
  api.delete(SUBSCRIPTIONS, { subscriptions: channels, ...fields });

export type Event = { type: string; body: Record<string, unknown>; audience: object };

/** The type, the operation and the audience of each event, without messages. */
export const kindsOf = (events: object[]) =>
  (events as Event[])
    .filter(({ type }) => type !== 'message')
    .map(({ type, body, audience }) => [type, body['op'], audience]);
