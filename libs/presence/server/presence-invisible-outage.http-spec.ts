import { beforeEach, describe, expect, it } from '@jest/globals';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { OFFLINE_SECONDS, PresenceGateway } from '#test/presence-gateway';
import { nowSeconds } from '#test/presence-realm';
import { useFixture } from '#test/use-fixture';

/** An invisible user was last seen at least this long ago: the threshold of the installation plus two minutes. */
const HIDDEN_SECONDS = OFFLINE_SECONDS + 120;

const gateway = useFixture(() => PresenceGateway.start(50));
let organisation: Organisation;
let ann: Person;
let eve: Person;

beforeEach(async () => {
  organisation = await addOrganisation(gateway.system);
  ann = await organisation.addPerson();
  eve = await organisation.addPerson();
});

describe('Going invisible while the presence program is unavailable', () => {
  it('shows the user as offline in the presence of one user', async () => {
    await organisation.lastSeen(eve, nowSeconds());
    await eve.api.patch('/settings', { presence_enabled: false });
    const { body } = await ann.api.get(`/users/${eve.id}/presence`);
    const { website, aggregated } = body['presence'] as Record<
      'website' | 'aggregated',
      { status: string; timestamp: number }
    >;
    expect([website.status, aggregated.status]).toEqual(['idle', 'offline']);
    expect(website.timestamp).toBeLessThanOrEqual(nowSeconds() - HIDDEN_SECONDS);
  });

  it('shows old times in the presence of all users', async () => {
    const at = nowSeconds();
    await organisation.lastSeen(ann, at);
    await organisation.lastSeen(eve, at);
    await eve.api.patch('/settings', { presence_enabled: false });
    const { body } = await ann.api.get('/realm/presence');
    const presences = body['presences'] as Record<
      string,
      { aggregated: { status: string; timestamp: number } }
    >;
    expect(presences[ann.email]?.aggregated).toMatchObject({ status: 'active', timestamp: at });
    const { status, timestamp = at } = presences[eve.email]?.aggregated ?? {};
    expect(status).toBe('idle');
    expect(timestamp).toBeLessThanOrEqual(nowSeconds() - HIDDEN_SECONDS);
  });

  it('is undone at once', async () => {
    const at = nowSeconds();
    await organisation.lastSeen(eve, at);
    for (const presence_enabled of [false, true]) {
      await eve.api.patch('/settings', { presence_enabled });
    }
    const { body } = await ann.api.get(`/users/${eve.id}/presence`);
    expect(body['presence']).toMatchObject({ aggregated: { status: 'active', timestamp: at } });
  });
});
