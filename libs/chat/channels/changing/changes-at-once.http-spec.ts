import { describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { commitTogether } from '#test/commit-together';
import { untilLockWaits } from '#test/lock-waits';
import { useGateway } from '#test/start-gateway';
import { addGroup } from '#test/user-groups';
import { newName } from '../subscribing/subscribing.fixture.js';
import { lockSubscriptions } from '../subscriptions/subscription-lock.js';
import { archive, change, useChanging } from './changing.fixture.js';

const system = useGateway();
const { world, owner, admin, member } = useChanging(system);

describe('A change without permission', () => {
  it.each([
    ['PATCH', (id: number) => change(member, id, { description: 'New' })],
    ['DELETE', (id: number) => archive(member, id)],
  ])('waits for no change of the organisation: %s', async (_, send) => {
    const id = await world.addChannel(newName(), {}, [member]);
    const { organisation } = world;
    const reply = await system.database.database.transaction(async (transaction) => {
      await lockSubscriptions(transaction, organisation.id);
      return send(id);
    });
    expect(reply).toMatchObject({ status: 400, body: { code: 'CANNOT_ADMINISTER_CHANNEL' } });
  });
});

describe('The archiving of a channel', () => {
  it.each([
    ['PATCH', (id: number) => change(admin, id, { is_archived: true })],
    ['DELETE', (id: number) => archive(admin, id)],
  ])('takes its locks in the order of changes of groups: %s', async (_, send) => {
    const id = await world.addChannel(newName());
    const { organisation } = world;
    const group = await addGroup(system, organisation);
    const { database } = system.database;
    const { replies } = await database.transaction(async (transaction) => {
      await lockSubscriptions(transaction, organisation.id);
      const archived = send(id);
      await untilLockWaits(database);
      const added = owner.api.post(`/user_groups/${group}/members`, { add: [member.id] });
      // With the lock of the organisation, it would wait for that of the subscriptions too: each for the other in the end.
      await untilLockWaits(database, 1, 'FOR NO KEY UPDATE');
      return { replies: Promise.all([archived, added]) };
    });
    for (const reply of await replies) expect(reply).toMatchObject(success);
  });
});

describe('A change that waits for another change of the channel', () => {
  it('cannot open a channel that has become private for its author', async () => {
    const id = await world.addChannel('Becomes private', {}, [owner]);
    const replies = await commitTogether(
      system,
      world.organisation,
      () => change(owner, id, { is_private: true }),
      () => change(admin, id, { is_private: false }),
    );
    expect(replies).toMatchObject([success, badRequest('Channel content access is required.')]);
    const { prisma } = system.database.database;
    expect(await prisma.channel.findUnique({ where: { id } })).toMatchObject({ isPrivate: true });
  });

  it('cannot archive a channel whose administrators have changed', async () => {
    const canAdministerChannelId = await world.addAnonymousGroup([member.id], []);
    const id = await world.addChannel('Changes hands', { canAdministerChannelId }, [owner]);
    const holders = { direct_members: [owner.id], direct_subgroups: [] };
    const replies = await commitTogether(
      system,
      world.organisation,
      () => change(owner, id, { can_administer_channel_group: { new: holders } }),
      () => archive(member, id),
    );
    const refused = { status: 400, body: { code: 'CANNOT_ADMINISTER_CHANNEL' } };
    expect(replies).toMatchObject([success, refused]);
  });
});
