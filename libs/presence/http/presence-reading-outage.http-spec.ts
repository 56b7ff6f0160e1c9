import { beforeEach, describe, expect, it } from '@jest/globals';
import { countStatements } from '#test/count-statements';
import type { Person } from '#test/organisation';
import { PresenceGateway } from '#test/presence-gateway';
import { nowSeconds } from '#test/presence-realm';
import { readsPresence } from './presence-reading-behaviours.fixture.js';
import { presencePathOf, PresenceReaders, legacyEntry } from '#test/presence-reading-people';
import { useFixture } from '#test/use-fixture';

const gateway = useFixture(() => PresenceGateway.start(1000));
let readers: PresenceReaders;
let ann: Person;
let ben: Person;

beforeEach(async () => {
  readers = await PresenceReaders.in(gateway.system);
  ({ ann, ben } = readers);
});

describe('Reading presence while the presence program is unavailable', () => {
  readsPresence(
    () => readers,
    (person, at) => readers.organisation.lastSeen(person, at),
  );

  it('returns the data of PostgreSQL for a user who was never active', async () => {
    const at = nowSeconds();
    await readers.organisation.lastSeen(ann, at, null);
    expect((await ben.api.get(presencePathOf(ann.id))).body['presence']).toMatchObject({
      website: { status: 'idle', timestamp: at },
    });
    expect((await ben.api.get('/realm/presence')).body['presences']).toEqual({
      [ann.email]: legacyEntry('idle', at),
    });
  });

  it('is the state of a registration, in both formats', async () => {
    const [at, joinedAt] = [nowSeconds(), nowSeconds() - 1000];
    await readers.organisation.lastSeen(ann, at);
    const dateJoined = new Date(joinedAt * 1000);
    const never = await readers.organisation.addPerson({ dateJoined });
    await readers.organisation.lastSeen(never, at, null);
    const past = await readers.organisation.addPerson();
    await readers.organisation.lastSeen(past, at - 3 * 86_400);
    const history = { event_types: ['presence'], presence_history_limit_days: 2 };
    const { body: legacy } = await ben.api.post('/register', history);
    expect(legacy).toMatchObject({ presence_last_update_id: -1 });
    expect(legacy['presences']).toEqual({
      [ann.email]: legacyEntry('active', at),
      [never.email]: legacyEntry('idle', at),
    });
    const { body: modern } = await ben.api.post('/register', { ...history, slim_presence: true });
    expect(modern['presences']).toEqual({
      [ann.id]: { active_timestamp: at, idle_timestamp: at },
      [never.id]: { active_timestamp: joinedAt, idle_timestamp: at },
    });
    const nobody = { ...history, presence_history_limit_days: 0 };
    expect((await ben.api.post('/register', nobody)).body['presences']).toEqual({});
  });

  it('uses two statements for one user, and one for all users', async () => {
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
