import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UserActivityRepository } from '#presence';
import { CommandLine } from './cli.command-line.js';
import { OperatedWorld } from './push-operate.world.js';

const DAY_MS = 86_400_000;
const HOUR = 3600;

let world: OperatedWorld;
let sut: CommandLine;
let ada: number;
let ben: number;

/** UNIX seconds of a midnight in UTC, and its day. */
const midnight = (daysAgo: number) => {
  const at = new Date(Math.floor(Date.now() / DAY_MS - daysAgo) * DAY_MS);
  return { day: at.toISOString().slice(0, 10), at: at.getTime() / 1000 };
};

beforeAll(async () => {
  world = await OperatedWorld.start();
  sut = new CommandLine(world);
  [{ id: ada }, { id: ben }] = [
    await world.addPerson('ada@example.org'),
    await world.addPerson('ben@example.org'),
  ];
  await sut.json("organisation create acme --name 'Acme Corp'");
  const active = (userId: number, daysAgo: number, hours: number) => {
    const { day, at } = midnight(daysAgo);
    return { userId, day, startedAt: at, endedAt: at + hours * HOUR };
  };
  await new UserActivityRepository(world.database).unite([
    active(ada, 0, 1),
    active(ada, 1, 2),
    active(ada, 6, 3),
    active(ben, 7, 4),
    active(ben, 27, 0.5),
    active(ada, 28, 5),
    active(ada, 300, 6),
  ]);
}, 30_000);
afterAll(() => world.stop());

describe('carillon usage', () => {
  const chat = {
    organisation: 'chat',
    name: expect.any(String),
    people: 2,
    active_today: 1,
    active_7_days: 1,
    active_28_days: 2,
  };
  const acme = {
    organisation: 'acme',
    name: 'Acme Corp',
    people: 0,
    active_today: 0,
    active_7_days: 0,
    active_28_days: 0,
    active_hours: 0,
  };

  it('tells of every organisation who was active, and for how long, the most active first', async () => {
    expect(await sut.json('usage')).toEqual({
      today: midnight(0).day,
      days: 28,
      organisations: [{ ...chat, active_hours: 10.5 }, acme],
    });
  });

  it.each([
    [1, 1],
    [2, 3],
    [29, 15.5],
    [400, 21.5],
  ])('counts the hours of %d days: %d', async (days, hours) => {
    expect(await sut.json(`usage --days ${days}`)).toMatchObject({
      days,
      organisations: [{ ...chat, active_hours: hours }, acme],
    });
  });

  it('counts neither bots nor what they do, and deactivated people only as active', async () => {
    const bot = "bot create ci@example.org --owner ada@example.org --name 'CI Bot'";
    const { id: userId } = (await sut.json(bot)) as { id: number };
    const { day, at } = midnight(0);
    await new UserActivityRepository(world.database).unite([
      { userId, day, startedAt: at, endedAt: at + HOUR },
    ]);
    expect(await sut.json('usage -o chat')).toMatchObject({
      organisations: [{ ...chat, active_hours: 10.5 }],
    });
    await world.database.prisma.user.update({ where: { id: ben }, data: { isActive: false } });
    expect(await sut.json('usage -o chat')).toMatchObject({
      organisations: [{ people: 1, active_28_days: 2 }],
    });
  });

  it('tells of one organisation', async () => {
    expect(await sut.json('usage --organisation acme')).toMatchObject({ organisations: [acme] });
    expect(await sut.failure('usage -o nowhere')).toMatchObject({ code: 'unknown_organisation' });
  });

  it('takes no number of days that nothing is kept for', async () => {
    for (const days of ['0', '401', '1.5', 'all']) {
      expect((await sut.run(`usage --days ${days}`)).exitCode).toBe(2);
    }
  });

  it('shows a table to people', async () => {
    const { output } = await sut.run('usage --days 1');
    expect(output).toContain('hours in 1 day');
    expect(output).toMatch(/acme\s.*Acme Corp/);
  });
});
