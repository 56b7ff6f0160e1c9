import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#platform/contracts';
import type { ApiClient, Fields } from '#test/api-client';
import { addOrganisation, type Person } from '#test/organisation';
import { startSystem, type System } from '#test/start-system';

let system: System;

beforeAll(async () => {
  system = await startSystem({ programs: ['presence', 'api-gateway'] });
});

afterAll(() => system?.stop());

/** A successful answer of the endpoint, without the envelope. */
interface PresenceAnswer {
  readonly presence_last_update_id: number;
  readonly server_timestamp: number;
  readonly presences: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

async function report({ api }: { api: ApiClient }, fields: Fields): Promise<PresenceAnswer> {
  const { status, body } = await api.post('/users/me/presence', fields);
  expect({ status, result: body['result'], msg: body['msg'] }).toEqual({
    status: 200,
    result: 'success',
    msg: '',
  });
  const { result: _result, msg: _msg, ...answer } = body;
  // The shape of the answer.
  return answer as unknown as PresenceAnswer;
}

/** Reports, and asks for all users or for changes after a cursor, in the modern format. */
const ask = (who: Person, status: 'active' | 'idle', cursor = -1): Promise<PresenceAnswer> =>
  report(who, { status, last_update_id: cursor });

const idsIn = ({ presences }: PresenceAnswer): number[] => Object.keys(presences).map(Number);

const onePerson = async (): Promise<Person> => (await addOrganisation(system)).addPerson();

/** Two people of their own organisation. */
async function twoPeople(): Promise<[Person, Person]> {
  const organisation = await addOrganisation(system);
  return [await organisation.addPerson(), await organisation.addPerson()];
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

describe('POST /users/me/presence', () => {
  it('requires a sign-in', async () => {
    const reply = await system.anonymous().post('/users/me/presence', { status: 'active' });
    expect(reply).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  });

  it.each(['', 'offline', 'ACTIVE', 'active '])('rejects the status "%s"', async (status) => {
    const reply = await system.api('bob').post('/users/me/presence', { status });
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: `Invalid status: ${status}` },
    });
  });

  it('rejects a negative number of days', async () => {
    const reply = await system
      .api('bob')
      .post('/users/me/presence', { status: 'active', history_limit_days: -1 });
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: 'history_limit_days is too small' },
    });
  });

  it('shows the caller', async () => {
    const lone = await onePerson();
    const before = nowSeconds();
    const answer = await ask(lone, 'active');
    const entry = answer.presences[String(lone.id)];
    expect(idsIn(answer)).toEqual([lone.id]);
    expect(entry).toEqual({
      active_timestamp: entry?.['active_timestamp'],
      idle_timestamp: entry?.['active_timestamp'],
    });
    expect(entry?.['active_timestamp']).toBeGreaterThanOrEqual(before);
    expect(entry?.['active_timestamp']).toBeLessThanOrEqual(nowSeconds());
    expect(answer.server_timestamp).toBeGreaterThanOrEqual(before);
    expect(answer.server_timestamp).toBeLessThanOrEqual(Date.now() / 1000);
    expect(answer.presence_last_update_id).toBeGreaterThan(0);
    expect(Object.keys(answer).toSorted()).toEqual([
      'presence_last_update_id',
      'presences',
      'server_timestamp',
    ]);
  });

  it('shows only changes after the cursor', async () => {
    const [ann, ben] = await twoPeople();
    const first = await ask(ann, 'active');
    const bens = await ask(ben, 'active');
    expect(idsIn(bens)).toEqual([ann.id, ben.id]);
    const second = await ask(ann, 'active', first.presence_last_update_id);
    expect(idsIn(second)).toEqual([ben.id]);
    expect(second.presence_last_update_id).toBe(bens.presence_last_update_id);
    expect(second.presence_last_update_id).toBeGreaterThan(first.presence_last_update_id);
    const third = await ask(ann, 'active', second.presence_last_update_id);
    expect(third.presences).toEqual({});
    expect(third.presence_last_update_id).toBe(second.presence_last_update_id);
  });

  it('shows the joining date of a user who was never active', async () => {
    const joined = new Date('2026-02-03T04:05:06Z');
    const organisation = await addOrganisation(system);
    const ann = await organisation.addPerson({ dateJoined: joined });
    const { presences } = await ask(ann, 'idle');
    const entry = presences[String(ann.id)];
    expect(entry?.['active_timestamp']).toBe(joined.getTime() / 1000);
    expect(entry?.['idle_timestamp']).toBeGreaterThan(nowSeconds() - 10);
  });

  it('shows at once that an idle user is active', async () => {
    const [ann, ben] = await twoPeople();
    await ask(ann, 'idle');
    const { presence_last_update_id: cursor } = await ask(ben, 'active');
    await ask(ann, 'active');
    const { presences } = await ask(ben, 'active', cursor);
    expect(presences[String(ann.id)]?.['active_timestamp']).toBeGreaterThan(nowSeconds() - 10);
  });

  it('keeps the last activity of a user who becomes idle', async () => {
    const [ann, ben] = await twoPeople();
    const active = (await ask(ann, 'active')).presences[String(ann.id)]?.['active_timestamp'];
    await ask(ann, 'idle');
    const { presences } = await ask(ben, 'active');
    expect(presences[String(ann.id)]?.['active_timestamp']).toBe(active);
  });

  it('changes nothing for a repeated report', async () => {
    const [ann, ben] = await twoPeople();
    await ask(ann, 'active');
    const { presence_last_update_id: cursor } = await ask(ben, 'active');
    await Promise.all(Array.from({ length: 10 }, () => ask(ann, 'active')));
    const later = await ask(ben, 'active', cursor);
    expect(later.presences).toEqual({});
    expect(later.presence_last_update_id).toBe(cursor);
  });

  it('returns no presence of others for ping_only', async () => {
    const [ann, ben] = await twoPeople();
    const { presence_last_update_id: cursor } = await ask(ben, 'active');
    expect(await report(ann, { status: 'active', ping_only: true })).toEqual({
      presence_last_update_id: -1,
    });
    expect(await report(ann, { status: 'active', ping_only: true, last_update_id: 7 })).toEqual({
      presence_last_update_id: 7,
    });
    expect(idsIn(await ask(ben, 'active', cursor))).toEqual([ann.id]);
  });

  it('returns a cursor that is ahead of the server unchanged', async () => {
    const [ann] = await twoPeople();
    const { presence_last_update_id: cursor } = await ask(ann, 'active');
    const answer = await ask(ann, 'active', cursor + 1_000_000);
    expect(answer.presence_last_update_id).toBe(cursor + 1_000_000);
    expect(answer.presences).toEqual({});
  });

  it('shows all users again to a client without a cursor', async () => {
    const all = await (await addOrganisation(system)).addPeople(5);
    for (const one of all) await ask(one, 'active');
    const ids = all.map(({ id }) => id).toSorted((a, b) => a - b);
    for (const one of all) expect(idsIn(await ask(one, 'active'))).toEqual(ids);
    for (const one of all) expect(idsIn(await ask(one, 'active', 0))).toEqual(ids);
  });

  it('keeps organisations apart', async () => {
    const [ann, ben] = [await onePerson(), await onePerson()];
    await ask(ann, 'active');
    expect(idsIn(await ask(ben, 'active'))).toEqual([ben.id]);
  });

  it('serves guests and bots like other accounts', async () => {
    const organisation = await addOrganisation(system);
    const guest = await organisation.addPerson({ role: roles.guest });
    const bot = await organisation.addPerson({ isBot: true });
    await ask(guest, 'active');
    expect(idsIn(await ask(bot, 'active'))).toEqual([guest.id, bot.id]);
  });

  it('hides an invisible user, who still sees others', async () => {
    const organisation = await addOrganisation(system);
    const hidden = await organisation.addPerson({ isPresenceEnabled: false });
    const seen = await organisation.addPerson();
    await ask(hidden, 'active');
    expect(idsIn(await ask(seen, 'active'))).toEqual([seen.id]);
    expect(idsIn(await ask(hidden, 'active'))).toEqual([seen.id]);
  });

  it('shows nothing in an organisation that has disabled presence', async () => {
    const organisation = await addOrganisation(system, { isPresenceDisabled: true });
    const ann = await organisation.addPerson();
    for (const cursor of [-1, 5]) {
      expect(await ask(ann, 'active', cursor)).toMatchObject({
        presence_last_update_id: -1,
        presences: {},
      });
    }
  });
});

describe('The legacy format of presence', () => {
  it('is returned to a client without a cursor', async () => {
    const [ann, ben] = await twoPeople();
    await ask(ann, 'active');
    const answer = await report(ben, { status: 'idle' });
    const annsTime = answer.presences[ann.email]?.['aggregated'];
    expect(answer.presences[ann.email]).toEqual({
      aggregated: { client: 'website', status: 'active', timestamp: expect.any(Number) },
      website: {
        client: 'website',
        status: 'active',
        timestamp: expect.any(Number),
        pushable: false,
      },
    });
    expect(answer.presences[ann.email]?.['website']).toMatchObject(annsTime ?? {});
    expect(answer.presences[ben.email]).toMatchObject({ aggregated: { status: 'idle' } });
    expect(Object.keys(answer.presences).toSorted()).toEqual([ann.email, ben.email].toSorted());
    expect(answer.presence_last_update_id).toBeGreaterThan(0);
  });

  it('is replaced by the modern one for slim_presence', async () => {
    const lone = await onePerson();
    const answer = await report(lone, { status: 'active', slim_presence: true });
    expect(answer.presences[String(lone.id)]).toHaveProperty('idle_timestamp');
  });

  it('is replaced by the modern one for a cursor', async () => {
    const lone = await onePerson();
    const answer = await report(lone, {
      status: 'active',
      slim_presence: false,
      last_update_id: -1,
    });
    expect(answer.presences[String(lone.id)]).toHaveProperty('idle_timestamp');
  });
});

describe('The history limit of presence', () => {
  const dayS = 86_400;

  /** Two people: a viewer, and a user who was last seen 20 days ago. */
  async function somebodyFromLongAgo(): Promise<{ asking: Person; absent: Person }> {
    const organisation = await addOrganisation(system);
    const asking = await organisation.addPerson();
    const absent = await organisation.addPerson();
    await organisation.lastSeen(absent, nowSeconds() - 20 * dayS);
    return { asking, absent };
  }

  it('is 14 days by default', async () => {
    const { asking } = await somebodyFromLongAgo();
    expect(idsIn(await ask(asking, 'active'))).toEqual([asking.id]);
  });

  it('is the requested number of days', async () => {
    const { asking, absent } = await somebodyFromLongAgo();
    const fields = { status: 'active', last_update_id: -1, history_limit_days: 30 };
    expect(idsIn(await report(asking, fields))).toEqual([asking.id, absent.id]);
  });

  it('shows no users for no days', async () => {
    const ann = await onePerson();
    const fields = { status: 'active', last_update_id: -1, history_limit_days: 0 };
    expect(await report(ann, fields)).toMatchObject({ presences: {} });
  });

  it('is ignored for a client with a cursor', async () => {
    const [ann, ben] = await twoPeople();
    const { presence_last_update_id: cursor } = await ask(ann, 'active');
    await ask(ben, 'active');
    const fields = { status: 'active', last_update_id: cursor, history_limit_days: 0 };
    expect(idsIn(await report(ann, fields))).toEqual([ben.id]);
  });
});
