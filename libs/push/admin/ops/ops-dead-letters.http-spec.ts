import { describe, expect, it } from '@jest/globals';
import { OpsApp } from '#test/ops-app';
import { useFixture } from '#test/use-fixture';

describe('the dead letters of the ops page', () => {
  const sut = useFixture(() => OpsApp.start());
  const phone = useFixture(() => sut.addPhone());

  const listed = async (reason: string) => {
    const { body } = await sut.get(`/ops/api/dead-letters?reason=${reason}`);
    return body['deadLetters'] as { id: string }[];
  };

  it('are listed by reason, with the fingerprint and never the token', async () => {
    const notificationId = await sut.world.addDeadLetter(phone, 'BadTopic');
    expect(await listed('BadTopic')).toEqual([
      {
        id: `${notificationId}/${phone.id}`,
        notificationId,
        deviceId: phone.id,
        userId: phone.userId,
        platform: 'apns',
        kind: 'test',
        reason: 'BadTopic',
        fingerprint: phone.fingerprint,
        payload: { aps: { alert: 17 } },
        createdAt: expect.any(Number),
      },
    ]);
    expect(await sut.text('/ops/api/dead-letters')).not.toContain(phone.token);
    expect(await sut.text('/ops/api/overview')).toMatch('1 dead letter: BadTopic.');
  });

  it('are requeued one by one, or all of a reason', async () => {
    for (let count = 0; count < 3; count += 1) await sut.world.addDeadLetter(phone, 'BadPath');
    const [first] = await listed('BadPath');
    const one = await sut.post('/ops/api/dead-letters/requeue', { ids: first?.id });
    expect(one).toMatchObject({ status: 200, body: { requeued: 1 } });
    expect(await listed('BadPath')).toHaveLength(2);
    const rest = await sut.post('/ops/api/dead-letters/requeue', { reason: 'BadPath' });
    expect(rest.body).toEqual({ requeued: 2 });
    expect(await listed('BadPath')).toHaveLength(0);
  });

  it('are dismissed one by one, or all', async () => {
    const ids = [
      `${await sut.world.addDeadLetter(phone, 'A')}/${phone.id}`,
      `${await sut.world.addDeadLetter(phone, 'A')}/${phone.id}`,
      `${await sut.world.addDeadLetter(phone, 'B')}/${phone.id}`,
    ];
    const two = await sut.post('/ops/api/dead-letters/dismiss', {
      ids: ids.slice(0, 2).join(', '),
    });
    expect(two.body).toEqual({ dismissed: 2 });
    expect(await listed('B')).toHaveLength(1);
    await sut.post('/ops/api/dead-letters/dismiss', { all: 'true' });
    expect(await listed('B')).toHaveLength(0);
  });

  it.each([
    ['nothing', {}, 'expected exactly one of ids, reason and all=true'],
    ['two things', { all: 'true', reason: 'A' }, 'expected exactly one of'],
    ['an invalid id', { ids: '17' }, '"17" is no id of a dead letter'],
    ['all=false', { all: 'false' }, 'all: expected true'],
    ['an empty reason', { reason: '' }, 'reason:'],
    ['something else', { everything: 'true' }, 'everything'],
  ])('are unchanged after a request for %s', async (_what, fields, message) => {
    await sut.world.addDeadLetter(phone, 'Kept');
    for (const verb of ['requeue', 'dismiss']) {
      const reply = await sut.post(`/ops/api/dead-letters/${verb}`, fields);
      expect(reply.status).toBe(400);
      expect(reply.body['error']).toMatch(message);
    }
    expect((await sut.send('/ops/api/dead-letters/requeue', { method: 'POST' })).status).toBe(401);
    expect(await listed('Kept')).not.toHaveLength(0);
  });

  it.each(['limit=0', 'limit=201', 'limit=many', 'reason=', 'platforms=apns'])(
    'cannot be listed by %s',
    async (query) => {
      const { status, body } = await sut.get(`/ops/api/dead-letters?${query}`);
      expect(status).toBe(400);
      expect(body['error']).toMatch(query.split('=')[0] ?? '');
    },
  );
});
