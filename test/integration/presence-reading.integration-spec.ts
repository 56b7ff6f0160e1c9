import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type PresenceService, roles } from '#contracts';
import { badRequest } from '../support/answers.js';
import { countStatements } from '../support/count-statements.js';
import { addOrganisation, type Person } from '../support/organisation.js';
import { PresenceGateway } from '../support/presence-gateway.js';
import { presenceRequest } from '../support/presence-request.js';
import { readsPresence } from './presence-reading.behaviours.js';
import { presencePathOf, PresenceReaders } from './presence-reading.people.js';

let presence: PresenceService;
let gateway: PresenceGateway;
let readers: PresenceReaders;
let ann: Person;
let ben: Person;

beforeAll(async () => {
  gateway = await PresenceGateway.start(1000);
  presence = await gateway.bringPresence();
}, 30_000);
afterAll(() => gateway.stop());

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

  it('tells of a report at once', async () => {
    await ann.api.post('/users/me/presence', { status: 'idle' });
    expect((await ben.api.get(presencePathOf(ann.id))).body['presence']).toMatchObject({
      aggregated: { status: 'idle' },
    });
  });

  it('shows who has gone invisible as offline', async () => {
    await ann.api.post('/users/me/presence', { status: 'active' });
    await ann.api.patch('/settings', { presence_enabled: false });
    expect((await ben.api.get(presencePathOf(ann.id))).body['presence']).toMatchObject({
      website: { status: 'idle' },
      aggregated: { status: 'offline' },
    });
  });

  it('needs one statement for a user, and none for everyone', async () => {
    await ann.api.post('/users/me/presence', { status: 'active' });
    for (const [path, most] of [
      [presencePathOf(ann.id), 1],
      ['/realm/presence', 0],
    ] as const) {
      await ben.api.get(path);
      expect(await countStatements(() => ben.api.get(path))).toBe(most);
    }
  });

  describe('of whom there is none to be told', () => {
    const noSuchUser = badRequest('No such user');

    it('refuses what is no account', async () => {
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

    it('refuses an account of another organisation, and a deactivated one', async () => {
      const elsewhere = await (await addOrganisation(gateway.system)).addPerson();
      const former = await readers.organisation.addPerson({ isActive: false });
      for (const { id, email } of [elsewhere, former]) {
        for (const name of [id, email]) {
          expect(await ann.api.get(presencePathOf(name))).toMatchObject(noSuchUser);
        }
      }
    });

    it('refuses an address that others do not see, to administrators too', async () => {
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

    it('refuses a bot', async () => {
      const bot = await readers.organisation.addPerson({ isBot: true });
      expect(await ann.api.get(presencePathOf(bot.id))).toMatchObject(
        badRequest('Presence is not supported for bot users.'),
      );
    });
  });

  it('shows nobody where the organisation has switched presence off', async () => {
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
