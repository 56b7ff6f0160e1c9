import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, notSignedIn } from '#test/answers';
import type { Fields } from '#test/api-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { PresenceGateway } from '#test/presence-gateway';
import { useFixture } from '#test/use-fixture';

const DAY_SECONDS = 86_400;
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const gateway = useFixture(() => PresenceGateway.start(1000));
let organisation: Organisation;
let ann: Person;
let ben: Person;

beforeAll(async () => {
  await gateway.bringPresence();
});

beforeEach(async () => {
  organisation = await addOrganisation(gateway.system);
  [ann, ben] = [await organisation.addPerson(), await organisation.addPerson()];
});

/** The successful answer to a report. */
async function report({ api }: Person, fields: Fields = {}) {
  const { status, body } = await api.post('/users/me/presence', { status: 'active', ...fields });
  expect({ status, result: body['result'] }).toEqual({ status: 200, result: 'success' });
  return body;
}

const modern = { last_update_id: -1 };
const namesIn = ({ presences }: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(presences ?? {});
const idsOf = (...people: Person[]): string[] => people.map(({ id }) => String(id));

describe('A report of presence', () => {
  it('requires a sign-in', async () => {
    const reply = await gateway.system.anonymous().post('/users/me/presence', { status: 'active' });
    expect(reply).toMatchObject(notSignedIn);
  });

  it.each(['', 'offline', 'ACTIVE', 'active '])('rejects the status "%s"', async (status) => {
    const reply = await ann.api.post('/users/me/presence', { status });
    expect(reply).toMatchObject(badRequest(`Invalid status: ${status}`));
  });

  it('rejects a negative number of days', async () => {
    const fields = { status: 'active', history_limit_days: -1 };
    expect(await ann.api.post('/users/me/presence', fields)).toMatchObject(
      badRequest('history_limit_days is too small'),
    );
  });

  it('returns the caller', async () => {
    expect(await report(ann, modern)).toEqual({
      result: 'success',
      msg: '',
      presence_last_update_id: expect.any(Number),
      server_timestamp: expect.any(Number),
      presences: {
        [ann.id]: { active_timestamp: expect.any(Number), idle_timestamp: expect.any(Number) },
      },
    });
  });

  it('returns the changes after the cursor', async () => {
    const { presence_last_update_id: cursor } = await report(ann, modern);
    await report(ben);
    expect(namesIn(await report(ann, { last_update_id: Number(cursor) }))).toEqual(idsOf(ben));
  });

  it('returns only the cursor for ping_only, and counts', async () => {
    const answer = { result: 'success', msg: '' };
    expect(await report(ann, { ping_only: true })).toEqual({
      ...answer,
      presence_last_update_id: -1,
    });
    expect(await report(ann, { ping_only: true, last_update_id: 7 })).toEqual({
      ...answer,
      presence_last_update_id: 7,
    });
    expect(namesIn(await report(ben, modern))).toEqual(idsOf(ann, ben));
  });

  it('returns the legacy format unless a cursor or slim_presence is given', async () => {
    await report(ann, { status: 'idle' });
    const { presences } = await report(ben);
    expect(presences).toMatchObject({
      [ann.email]: { aggregated: { status: 'idle' }, website: { status: 'idle' } },
      [ben.email]: { aggregated: { status: 'active' }, website: { status: 'active' } },
    });
    expect(namesIn(await report(ben, { slim_presence: true }))).toEqual(idsOf(ann, ben));
    const slimless = { ...modern, slim_presence: false };
    expect(namesIn(await report(ben, slimless))).toEqual(idsOf(ann, ben));
  });

  it('reaches back 14 days, or the requested number', async () => {
    await organisation.lastSeen(ann, nowSeconds() - 20 * DAY_SECONDS);
    expect(namesIn(await report(ben, modern))).toEqual(idsOf(ben));
    const reaching = (days: number) => report(ben, { ...modern, history_limit_days: days });
    expect(namesIn(await reaching(30))).toEqual(idsOf(ann, ben));
    expect(namesIn(await reaching(0))).toEqual([]);
  });

  it('is open to guests and bots, and stays in its organisation', async () => {
    const guest = await organisation.addPerson({ role: roles.guest });
    const bot = await organisation.addPerson({ isBot: true });
    await report(guest);
    expect(namesIn(await report(bot, modern))).toEqual(idsOf(guest, bot));
    const elsewhere = await (await addOrganisation(gateway.system)).addPerson();
    expect(namesIn(await report(elsewhere, modern))).toEqual(idsOf(elsewhere));
  });

  it('leaves an invisible user invisible', async () => {
    const hidden = await organisation.addPerson({ isPresenceEnabled: false });
    await report(hidden);
    expect(namesIn(await report(ann, modern))).toEqual(idsOf(ann));
    expect(namesIn(await report(hidden, modern))).toEqual(idsOf(ann));
  });

  it('returns no users if the organisation has disabled presence', async () => {
    const disabled = await addOrganisation(gateway.system, { isPresenceDisabled: true });
    const answer = await report(await disabled.addPerson(), { last_update_id: 5 });
    expect(answer).toMatchObject({ presence_last_update_id: -1, presences: {} });
  });
});
