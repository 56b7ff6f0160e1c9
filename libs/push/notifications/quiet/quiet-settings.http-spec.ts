import { describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { NotifiedPeople } from '#test/message-notifications-world';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { reviewIn } from '../decision/review.fixture.js';
import { ReviewRepository } from '../decision/review.repository.js';
import { QuietTimesRepository } from './quiet-times.repository.js';
import { QuietTimes, QuietTimesContinuation } from './quiet-times.js';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));

const EVENINGS = [{ days: [0, 1, 2, 3, 4, 5, 6], start: '22:00', end: '07:00' }];

describe(QuietTimesContinuation.name, () => {
  it('continues the quiet times that end soon, and makes none for other accounts', async () => {
    const { database } = system.database;
    const repository = new QuietTimesRepository();
    const times = new QuietTimes(repository, reviewIn(database), new ReviewRepository(database));
    const [reader, other, free] = [await people.add(), await people.add(), await people.add()];
    for (const { api } of [reader, other])
      await api.patch('/settings', { push_quiet_hours: EVENINGS });
    const CUT = `UPDATE users SET push_quiet_times =
      push_quiet_times * tstzmultirange(tstzrange(NULL, now() + interval '4 days')) WHERE id = $1`;
    await database.query('cut_quiet_times', CUT, [reader.id]);
    await new QuietTimesContinuation(database, repository, times).continueAll();
    const END = `SELECT extract(epoch FROM upper(push_quiet_times) - now()) / 86400 AS days
      FROM users WHERE id = ANY($1::int[]) ORDER BY id`;
    const ids = [[reader.id, other.id, free.id]];
    const rows = await database.query<{ days: string | null }>('end_of_quiet_times', END, ids);
    const days = rows.map((row) => (row.days === null ? null : Math.round(Number(row.days))));
    expect(days[2]).toBeNull();
    expect(days.slice(0, 2).every((one) => one !== null && one >= 12 && one <= 15)).toBe(true);
  });
});

describe('A time zone', () => {
  it('changes nothing for an account without quiet hours', async () => {
    const reader = await people.add();
    const planned = () => people.prisma.pushReview.count({ where: { userId: reader.id } });
    expect(await reader.api.patch('/settings', { timezone: 'Asia/Tokyo' })).toMatchObject(success);
    expect(await planned()).toBe(0);
    await reader.api.patch('/settings', { push_quiet_hours: EVENINGS });
    expect(await planned()).toBe(1);
  });
});

describe('The settings', () => {
  it('are normalised, reported and told as events', async () => {
    const reader = await people.add();
    const change = async (settings: Readonly<Record<string, unknown>>) =>
      expect(await reader.api.patch('/settings', settings)).toMatchObject(success);
    const { body } = await reader.api.post('/register', { event_types: ['user_settings'] });
    expect(body['user_settings']).toMatchObject({
      push_quiet_hours: [],
      push_quiet_hours_exceptions: [],
      push_vip_user_ids: [],
      push_snoozed_until: 0,
      push_notifications_delay_period_seconds: 0,
    });
    const hours = [{ days: [4, 0, 4], start: '22:00', end: '07:00' }];
    await change({ push_quiet_hours: hours, push_quiet_hours_exceptions: ['vip', 'direct'] });
    // The same settings again are no change.
    await change({ push_quiet_hours: hours, push_quiet_hours_exceptions: ['direct', 'vip'] });
    const { body: polled } = await reader.api.get('/events', {
      queue_id: String(body['queue_id']),
      last_event_id: -1,
      dont_block: true,
    });
    expect(polled['events']).toMatchObject([
      { property: 'push_quiet_hours', value: [{ days: [0, 4], start: '22:00', end: '07:00' }] },
      { property: 'push_quiet_hours_exceptions', value: ['direct', 'vip'] },
    ]);
  });

  it.each<[string, unknown]>([
    ['push_quiet_hours', [{ days: [7], start: '22:00', end: '07:00' }]],
    ['push_quiet_hours', [{ days: [], start: '22:00', end: '07:00' }]],
    ['push_quiet_hours', [{ days: [1], start: '24:00', end: '07:00' }]],
    ['push_quiet_hours', [{ days: [1], start: '22:00' }]],
    ['push_quiet_hours', [{ days: [1], start: '22:00', end: '07:00', zone: 'UTC' }]],
    ['push_quiet_hours', Array.from({ length: 15 }, () => EVENINGS[0])],
    ['push_quiet_hours_exceptions', ['channel']],
    ['push_vip_user_ids', Array.from({ length: 51 }, (_, index) => index + 1)],
    ['push_notifications_delay_period_seconds', 86_401],
  ])('reject %s of %j', async (name, value) => {
    const reader = await people.add();
    const reply = await reader.api.patch('/settings', { [name]: value });
    expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });
});
