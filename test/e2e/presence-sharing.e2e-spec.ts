import { beforeAll, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { addOrganisation, type Person } from '#test/organisation';
import { useSystem } from '#test/use-system';

const system = useSystem({ programs: ['presence', 'api-gateway'] });
let secondGateway: string;

beforeAll(async () => {
  secondGateway = await system.startGateway();
});

const OFFLINE_SECONDS = 200;
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

interface Seen {
  readonly cursor: number;
  readonly entry: { active_timestamp: number; idle_timestamp: number } | undefined;
}

/** The entry of a person after a cursor. */
async function look(viewer: Person, at: Person, cursor = -1): Promise<Seen> {
  const { body } = await viewer.api.post('/users/me/presence', {
    status: 'active',
    last_update_id: cursor,
  });
  // The shape of a successful answer in the modern format.
  const answer = body as unknown as {
    presence_last_update_id: number;
    presences: Record<string, NonNullable<Seen['entry']>>;
  };
  return { cursor: answer.presence_last_update_id, entry: answer.presences[String(at.id)] };
}

/** The two endpoints of the same setting, newest first. */
const switches = [
  {
    way: 'PATCH /settings',
    set: (who: Person, isShared: boolean) =>
      who.api.patch('/settings', { presence_enabled: isShared }),
  },
  {
    way: 'POST /users/me/status',
    set: (who: Person, isShared: boolean) => who.api.post('/users/me/status', { away: !isShared }),
  },
] as const;

describe.each(switches)('Sharing presence by $way', ({ set }) => {
  let subject: Person;
  let viewer: Person;

  beforeAll(async () => {
    const organisation = await addOrganisation(system);
    [subject, viewer] = [await organisation.addPerson(), await organisation.addPerson()];
    await subject.api.post('/users/me/presence', { status: 'active' });
  });

  it('is shown to others at once when it stops, and later reports change nothing', async () => {
    const before = await look(viewer, subject);
    expect(before.entry?.active_timestamp).toBeGreaterThan(nowSeconds() - 10);
    expect(await set(subject, false)).toMatchObject({ status: 200, body: { result: 'success' } });
    const hidden = await look(viewer, subject, before.cursor);
    expect(hidden.entry?.idle_timestamp).toBeLessThan(nowSeconds() - OFFLINE_SECONDS);
    await subject.api.post('/users/me/presence', { status: 'active' });
    expect((await look(viewer, subject, hidden.cursor)).entry).toBeUndefined();
  });

  it('applies at every gateway at once', async () => {
    const elsewhere = system.api(subject, secondGateway);
    await elsewhere.post('/users/me/presence', { status: 'active' });
    expect(await set(subject, true)).toMatchObject({ status: 200 });
    const shown = await look(viewer, subject);
    expect(shown.entry?.active_timestamp).toBeGreaterThan(nowSeconds() - 10);
    expect(await set(subject, false)).toMatchObject({ status: 200 });
    await elsewhere.post('/users/me/presence', { status: 'active' });
    expect((await look(viewer, subject)).entry?.idle_timestamp).toBeLessThan(
      nowSeconds() - OFFLINE_SECONDS,
    );
  });

  it('can be repeated', async () => {
    expect(await set(subject, true)).toMatchObject({ status: 200 });
    expect(await set(subject, true)).toMatchObject({ status: 200 });
    expect((await look(viewer, subject)).entry?.active_timestamp).toBeGreaterThan(
      nowSeconds() - 10,
    );
  });
});

describe('A gateway without presence', () => {
  it('still accepts the setting', async () => {
    const person = await (await addOrganisation(system)).addPerson();
    await system.kill('presence');
    expect(await person.api.patch('/settings', { presence_enabled: false })).toMatchObject(success);
    await system.start('presence');
    await person.api.post('/users/me/presence', { status: 'active' });
    const { body } = await person.api.get(`/users/${person.id}/status`);
    expect(body).toMatchObject({ status: { away: true } });
  });
});
