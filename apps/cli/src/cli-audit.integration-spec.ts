import { describe, expect, it } from '@jest/globals';
import { userInfo } from 'node:os';
import { useOperatedWorld } from '#test/push-operate-world';
import { useFixture } from '#test/use-fixture';
import { addAda, CommandLine } from './cli-command-line.fixture.js';

const world = useOperatedWorld();
const sut = new CommandLine(world);
const ada = useFixture(() => addAda(world));

describe('carillon audit', () => {
  it('lists each change with its operator and its target, the newest first', async () => {
    expect((await sut.run('audit')).output).toBe('No operator has changed anything.');
    const { organisation } = await world.addRemoteServer('chat.test');
    await sut.json('servers limit chat.test --requests 5');
    await sut.json('servers stop chat.test --reason Unpaid --at 2027-01-01T00:00:00Z');
    await sut.json('servers start chat.test');
    await sut.json(`servers stop ${organisation} --realm --at 2027-01-01T00:00:00Z`);
    await sut.json('push pause apns');
    await sut.json('push resume apns');
    const letter = `${await world.addDeadLetter(ada.phone, 'BadTopic')}/${ada.phone.id}`;
    await sut.json(`dead-letters requeue ${letter}`);
    await world.addDeadLetter(ada.phone, 'BadPath');
    await sut.json('dead-letters dismiss --reason BadPath --yes');
    const { public_key: key } = (await sut.json('push-keys add')) as { public_key: string };
    await sut.json(`push-keys remove ${key} --yes`);
    await sut.json('organisation require-encryption chat on');
    await sut.json(`devices remove ${ada.id} ${ada.phone.id} --yes`);
    const { actions } = (await sut.json('audit')) as { actions: Record<string, unknown>[] };
    const from = '2027-01-01T00:00:00.000Z';
    const limits = { requestLimit: 5, pushLimit: null, deviceLimit: null };
    expect(
      actions.toReversed().map(({ action, target, details }) => [action, target, details]),
    ).toEqual([
      ['servers.limit', 'chat.test', limits],
      ['servers.stop', 'chat.test', { from, reason: 'Unpaid' }],
      ['servers.start', 'chat.test', {}],
      ['server-organisations.stop', organisation, { from, reason: null }],
      ['push.pause', 'apns', {}],
      ['push.resume', 'apns', {}],
      ['dead-letters.requeue', 'ids', { letters: 1, ids: [letter] }],
      ['dead-letters.dismiss', 'BadPath', { letters: 1 }],
      ['push-keys.add', key, {}],
      ['push-keys.remove', key, {}],
      ['organisation.require-encryption', 'chat', { setting: 'on' }],
      ['devices.remove', `user ${ada.id}`, { ids: [ada.phone.id] }],
    ]);
    const actor = `cli:${userInfo().username}`;
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    for (const action of actions) expect(action).toMatchObject({ at, actor });
    expect((await sut.run('audit --limit 1')).output).toContain('devices.remove');
    expect(JSON.stringify(actions)).not.toContain(ada.phone.token);
  });

  it('has no record of refused changes', async () => {
    const before = await sut.json('audit');
    await sut.failure('servers stop nowhere');
    await sut.failure('organisation require-encryption nowhere on');
    await sut.failure(`push-keys remove ${'A'.repeat(43)}= --yes`);
    await sut.failure(`dead-letters requeue ${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}`);
    expect(await sut.json('audit')).toEqual(before);
  });
});
