import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { countStatements } from '../support/count-statements.js';
import type { Person } from '../support/organisation.js';
import { PresenceGateway } from '../support/presence-gateway.js';
import { nowSeconds } from '../support/presence-realm.js';
import { readsPresence } from './presence-reading.behaviours.js';
import { presencePathOf, PresenceReaders, told } from './presence-reading.people.js';

let gateway: PresenceGateway;
let readers: PresenceReaders;
let ann: Person;
let ben: Person;

beforeAll(async () => {
  gateway = await PresenceGateway.start(1000);
}, 30_000);
afterAll(() => gateway.stop());

beforeEach(async () => {
  readers = await PresenceReaders.in(gateway.system);
  ({ ann, ben } = readers);
});

describe('Reading presence while the presence program is away', () => {
  readsPresence(
    () => readers,
    (person, at) => readers.organisation.lastSeen(person, at),
  );

  it('tells what PostgreSQL knows of who was never active', async () => {
    const at = nowSeconds();
    await readers.organisation.lastSeen(ann, at, null);
    expect((await ben.api.get(presencePathOf(ann.id))).body['presence']).toMatchObject({
      website: { status: 'idle', timestamp: at },
    });
    expect((await ben.api.get('/realm/presence')).body['presences']).toEqual({
      [ann.email]: told('idle', at),
    });
  });

  it('needs two statements for a user, and one for everyone', async () => {
    await readers.organisation.lastSeen(ann, nowSeconds());
    for (const [path, most] of [
      [presencePathOf(ann.id), 2],
      ['/realm/presence', 1],
    ] as const) {
      await ben.api.get(path);
      expect(await countStatements(() => ben.api.get(path))).toBe(most);
    }
  });
});
