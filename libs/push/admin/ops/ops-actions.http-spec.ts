import { describe, expect, it } from '@jest/globals';
import { OpsApp } from '#test/ops-app';
import { useFixture } from '#test/use-fixture';

describe('the changes by operators on the ops page', () => {
  const sut = useFixture(() => OpsApp.start());

  it('are listed, the newest first', async () => {
    const { server } = await sut.world.addRemoteServer('chat.test');
    await sut.world.addDeadLetter(await sut.addPhone(), 'BadTopic');
    await sut.post('/ops/api/servers/stop', { server, reason: 'Unpaid' });
    await sut.post('/ops/api/dead-letters/dismiss', { all: 'true' });
    await sut.post('/ops/api/platforms/apns/pause');
    await sut.post('/ops/api/platforms/apns/resume');
    const { body } = await sut.get('/ops/api/actions');
    const common = { at: expect.any(Number), actor: 'ops' };
    expect(body['actions']).toEqual([
      { ...common, action: 'push.resume', target: 'apns', details: {} },
      { ...common, action: 'push.pause', target: 'apns', details: {} },
      { ...common, action: 'dead-letters.dismiss', target: 'all', details: { letters: 1 } },
      {
        ...common,
        action: 'servers.stop',
        target: 'chat.test',
        details: { from: expect.any(String), reason: 'Unpaid' },
      },
    ]);
  });

  it('require the sign-in of an operator', async () => {
    expect((await sut.send('/ops/api/actions')).status).toBe(401);
  });
});
