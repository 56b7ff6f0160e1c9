import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freePorts } from '../support/free-ports.js';
import { addOrganisation, type Organisation, type Person } from '../support/organisation.js';
import { nowSeconds } from '../support/presence-realm.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';

/** At least so long ago whoever goes invisible was last seen: the threshold of the installation, and two minutes. */
const HIDDEN_SECONDS = 300 + 120;

let system: System;
let organisation: Organisation;
let ann: Person;
let eve: Person;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  system = await startGateway({
    PRESENCE_ADDRESSES: `127.0.0.1:${port}`,
    PRESENCE_DEADLINE_MS: '50',
    PRESENCE_OFFLINE_SECONDS: '300',
  });
}, 30_000);
afterAll(() => system.stop());

beforeEach(async () => {
  organisation = await addOrganisation(system);
  ann = await organisation.addPerson();
  eve = await organisation.addPerson();
});

/** Lets PostgreSQL know of somebody as the write-behind would. */
async function lastSeen(person: Person, at: number): Promise<void> {
  await system.database.database.prisma.userPresence.create({
    data: {
      userId: person.id,
      realmId: organisation.id,
      activeAt: at,
      idleAt: at,
      updateId: 1,
    },
  });
}

describe('Going invisible while the presence program is away', () => {
  it('shows as offline to who asks of one user', async () => {
    await lastSeen(eve, nowSeconds());
    await eve.api.patch('/settings', { presence_enabled: false });
    const { body } = await ann.api.get(`/users/${eve.id}/presence`);
    const { website, aggregated } = body['presence'] as Record<
      'website' | 'aggregated',
      { status: string; timestamp: number }
    >;
    expect([website.status, aggregated.status]).toEqual(['idle', 'offline']);
    expect(website.timestamp).toBeLessThanOrEqual(nowSeconds() - HIDDEN_SECONDS);
  });

  it('shows as seen long ago to who asks of everyone', async () => {
    const at = nowSeconds();
    await lastSeen(ann, at);
    await lastSeen(eve, at);
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
    await lastSeen(eve, at);
    for (const presence_enabled of [false, true]) {
      await eve.api.patch('/settings', { presence_enabled });
    }
    const { body } = await ann.api.get(`/users/${eve.id}/presence`);
    expect(body['presence']).toMatchObject({ aggregated: { status: 'active', timestamp: at } });
  });
});
