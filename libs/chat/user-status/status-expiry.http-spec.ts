import { beforeEach, describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
const other = useFixture(() => organisation.addPerson());
let me: Person;
beforeEach(async () => {
  me = await organisation.addPerson();
});

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
const statusOf = async ({ id }: Person): Promise<unknown> =>
  (await other.api.get(`/users/${id}/status`)).body['status'];
const set = (fields: Readonly<Record<string, unknown>>) => me.api.post('/users/me/status', fields);

describe('A status with an end', () => {
  it('is removed after it by a gateway, with the usual event', async () => {
    const client = await EventClient.register(other.api, { event_types: ['user_status'] });
    const expires_at = inSeconds(2);
    expect(await set({ status_text: 'At lunch', emoji_name: 'car', expires_at })).toMatchObject(
      success,
    );
    expect(await statusOf(me)).toMatchObject({ status_text: 'At lunch', expires_at });
    const events = (await client.takeAtLeast(2)).filter(({ type }) => type === 'user_status');
    expect(events).toMatchObject([
      { user_id: me.id, status_text: 'At lunch' },
      { user_id: me.id, status_text: '', emoji_name: '' },
    ]);
    expect(await statusOf(me)).toEqual({});
  });

  it('keeps it only if the next status names one', async () => {
    const expires_at = inSeconds(1000);
    await set({ status_text: 'At lunch', expires_at });
    await set({ expires_at: expires_at + 1 });
    expect(await statusOf(me)).toEqual({ status_text: 'At lunch', expires_at: expires_at + 1 });
    await set({ status_text: 'Back' });
    expect(await statusOf(me)).toEqual({ status_text: 'Back' });
    await set({ expires_at });
    await set({ expires_at: 0 });
    expect(await statusOf(me)).toEqual({ status_text: 'Back' });
  });

  it('keeps the phones quiet until then on request', async () => {
    const expires_at = inSeconds(1000);
    await set({ status_text: 'At lunch', expires_at, pause_push: true });
    const row = await system.database.database.prisma.user.findUniqueOrThrow({
      where: { id: me.id },
    });
    expect(Number(row.pushSnoozedUntil)).toBe(expires_at);
  });

  it.each<[Readonly<Record<string, unknown>>, string]>([
    [{ status_text: 'x', expires_at: 1 }, 'expires_at has passed already.'],
    [
      { status_text: 'x', pause_push: true },
      'pause_push needs an expires_at that is at most 30 days ahead.',
    ],
    [{ pause_push: true }, 'Client did not pass any new values.'],
  ])('rejects %j', async (fields, msg) => {
    expect(await set(fields)).toMatchObject(badRequest(msg));
    expect(await statusOf(me)).toEqual({});
  });

  it('does not end more than a year ahead', async () => {
    const reply = await set({ status_text: 'x', expires_at: inSeconds(40_000_000) });
    expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });
});
