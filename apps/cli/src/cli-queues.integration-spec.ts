import { describe, expect, it } from '@jest/globals';
import { useOperatedWorld } from '#test/push-operate-world';
import { useFixture } from '#test/use-fixture';
import { addAda, CommandLine } from './cli-command-line.fixture.js';

const world = useOperatedWorld();
const sut = new CommandLine(world);
const ada = useFixture(() => addAda(world));

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('carillon queues list', () => {
  it('reports a user without event queues', async () => {
    expect(await sut.json(`queues list ${ada.id}`)).toEqual({ user: ada.json, queues: [] });
    expect((await sut.run(`queues list ${ada.id}`)).output).toContain('no event queues');
  });

  it('lists the queues that have not expired', async () => {
    const { prisma } = world.database;
    const { realmId } = await prisma.user.findUniqueOrThrow({ where: { id: ada.id } });
    await prisma.eventHead.create({ data: { realmId, position: 12 } });
    const queue = {
      realmId,
      userId: ada.id,
      options: { eventTypes: ['message'] },
      idleSeconds: 600,
    };
    const inAnHour = new Date(Date.now() + 3_600_000);
    await prisma.eventQueue.createMany({
      data: [
        { ...queue, id: 'alive', startPosition: 5, expiresAt: inAnHour },
        { ...queue, id: 'expired', startPosition: 5, expiresAt: new Date(0) },
      ],
    });
    expect(await sut.json(`queues list ${ada.id}`)).toEqual({
      user: ada.json,
      queues: [
        {
          id: 'alive',
          registered_at: time,
          expires_at: inAnHour.toISOString(),
          idle_seconds: 600,
          event_types: ['message'],
          events_since: 7,
        },
      ],
    });
    const { output } = await sut.run(`queues list ${ada.id}`);
    expect(output).toMatch(/: \d+ event queues?\n/);
    expect(output).toContain('alive');
  });
});
