import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { OrganisationOfChannels } from '../channels-organisation.fixture.js';

const system = useGateway();
const world = useFixture(() => OrganisationOfChannels.add(system));
const admin = useFixture(() => world.organisation.addPerson({ role: roles.administrator }));
const member = useFixture(() => world.organisation.addPerson());

/** The number of subscribers in a new registration of another account. */
async function registeredCount(name: string): Promise<unknown> {
  const { state } = await EventClient.register(admin.api, { fetch_event_types: ['stream'] });
  const streams = state['streams'] as Record<string, unknown>[];
  return streams.find((stream) => stream['name'] === name)?.['subscriber_count'];
}

const subscriptions = '/users/me/subscriptions';

describe('The numbers of subscribers of POST /register, which registrations share', () => {
  it('change with subscriptions', async () => {
    await member.api.post(subscriptions, { subscriptions: [{ name: 'joined' }] });
    expect(await registeredCount('joined')).toBe(1);
    await admin.api.post(subscriptions, { subscriptions: [{ name: 'joined' }] });
    expect(await registeredCount('joined')).toBe(2);
    await member.api.delete(subscriptions, { subscriptions: ['joined'] });
    expect(await registeredCount('joined')).toBe(1);
  });

  it('change with the activity of accounts', async () => {
    await member.api.post(subscriptions, { subscriptions: [{ name: 'active' }] });
    expect(await registeredCount('active')).toBe(1);
    expect(await admin.api.delete(`/users/${member.id}`)).toMatchObject(success);
    expect(await registeredCount('active')).toBe(0);
    expect(await admin.api.post(`/users/${member.id}/reactivate`)).toMatchObject(success);
    expect(await registeredCount('active')).toBe(1);
  });
});
