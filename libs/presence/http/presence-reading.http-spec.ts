import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest } from '#test/answers';
import { countStatements } from '#test/count-statements';
import { addOrganisation, type Person } from '#test/organisation';
import { PresenceGateway } from '#test/presence-gateway';
import { nowSeconds } from '#test/presence-realm';
import { presenceRequest } from '#test/presence-request';
import { readsPresence } from './presence-reading-behaviours.fixture.js';
import { presencePathOf, PresenceReaders } from '#test/presence-reading-people';
import { useFixture } from '#test/use-fixture';

const gateway = useFixture(() => PresenceGateway.start(1000));
const presence = useFixture(() => gateway.bringPresence());
let readers: PresenceReaders;
let ann: Person;
let ben: Person;

beforeEach(async () => {
  readers = await PresenceReaders.in(gateway.system);
  ({ ann, ben } = readers);
});

describe('Reading presence', () => {
  readsPresence(
    () => readers,
    (person, reportedAt) =>
      presence.report(
        presenceRequest({
          realmId: readers.organisation.id,
          userId: person.id,
          reportedAt,
          pingOnly: true,
        }),
      ),
  );

  it('shows a report at once', async () => {
    const at = nowSeconds();
    await ann.api.post('/users/me/presence', { status: 'idle' });
    const { body } = await ben.api.get(presencePathOf(ann.id));
    expect(body['presence']).toMatchObject({ aggregated: { status: 'idle' } });
    const { active_timestamp, idle_timestamp } = body['presence'] as Record<string, number>;
    // When the user was last connected, and last active: in the past for one who never was.
    expect(idle_timestamp).toBeGreaterThanOrEqual(at);
    expect(active_timestamp).toBeLessThan(Number(idle_timestamp));
    expect(body['server_timestamp']).toBeGreaterThanOrEqual(Number(idle_timestamp));
  });

  it('shows an invisible user as offline', async () => {
    await ann.api.post('/users/me/presence', { status: 'active' });
    await ann.api.patch('/settings', { presence_enabled: false });
    expect((await ben.api.get(presencePathOf(ann.id))).body['presence']).toMatchObject({
      website: { status: 'idle' },
      aggregated: { status: 'offline' },
    });
  });

  it('uses one statement for one user, and none for all users', async () => {
    await ann.api.post('/users/me/presence', { status: 'active' });
    for (const [path, most] of [
      [presencePathOf(ann.id), 1],
      ['/realm/presence', 0],
    ] as const) {
      await ben.api.get(path);
      expect(await countStatements(() => ben.api.get(path))).toBe(most);
    }
  });

  describe('of a user without visible presence', () => {
    const noSuchUser = badRequest('No such user');

    it('rejects an unknown account', async () => {
      for (const name of [
        'nobody@example.org',
        '2147483647',
        '99999999999999999999',
        '-1',
        '%00',
      ]) {
        expect(await ann.api.get(presencePathOf(name))).toMatchObject({ status: 400 });
      }
      expect(await ann.api.get(presencePathOf('nobody@example.org'))).toMatchObject(noSuchUser);
      expect(await ann.api.get(presencePathOf('99999999999999999999'))).toMatchObject(noSuchUser);
    });

    it('rejects an account of another organisation, and a deactivated account', async () => {
      const elsewhere = await (await addOrganisation(gateway.system)).addPerson();
      const former = await readers.organisation.addPerson({ isActive: false });
      for (const { id, email } of [elsewhere, former]) {
        for (const name of [id, email]) {
          expect(await ann.api.get(presencePathOf(name))).toMatchObject(noSuchUser);
        }
      }
    });

    it('rejects a hidden address, also for administrators', async () => {
      const administrator = await readers.organisation.addPerson({ role: roles.administrator });
      const email = `user${ben.id}@${ben.host}`;
      await readers.rename(ben, email);
      for (const reader of [ann, administrator]) {
        expect(await reader.api.get(presencePathOf(ben.email))).toMatchObject(noSuchUser);
        expect(await reader.api.get(presencePathOf(email))).toMatchObject(
          badRequest(`No presence data for ${email}`),
        );
      }
    });

    it('rejects a bot', async () => {
      const bot = await readers.organisation.addPerson({ isBot: true });
      expect(await ann.api.get(presencePathOf(bot.id))).toMatchObject(
        badRequest('Presence is not supported for bot users.'),
      );
    });
  });

  it('shows no users if the organisation has disabled presence', async () => {
    const { ann: eve } = await PresenceReaders.in(gateway.system, { isPresenceDisabled: true });
    await eve.api.post('/users/me/presence', { status: 'active' });
    expect((await eve.api.get('/realm/presence')).body).toEqual({
      result: 'success',
      msg: '',
      server_timestamp: expect.any(Number),
      presences: {},
    });
    expect(await eve.api.get(presencePathOf(eve.id))).toMatchObject(
      badRequest(`No presence data for ${eve.id}`),
    );
  });
});
