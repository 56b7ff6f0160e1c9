import { roles } from '#directory/roles';
import type { Person } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import type { System } from '#test/start-system';
import { OrganisationOfChannels } from '../channels-organisation.fixture.js';

export const SUBSCRIPTIONS = '/users/me/subscriptions';

/** An organisation for tests of subscriptions, with an account of each kind. */
interface SubscribingWorld {
  readonly world: OrganisationOfChannels;
  readonly recorded: RecordedEvents;
  readonly admin: Person;
  readonly member: Person;
  readonly other: Person;
  readonly guest: Person;
}

export async function startSubscribing(system: System): Promise<SubscribingWorld> {
  const world = await OrganisationOfChannels.add(system);
  const { organisation } = world;
  return {
    world,
    // Gateways mark the messages of a left channel as read some time later.
    recorded: new RecordedEvents(system, organisation, ['update_message_flags']),
    admin: await organisation.addPerson({ role: roles.administrator }),
    member: await organisation.addPerson(),
    other: await organisation.addPerson(),
    guest: await organisation.addPerson({ role: roles.guest }),
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
