import { describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { changeChannel, changeSubscription } from '../../../../test/law/law-channels.fixture.js';
import { archive, change, read, useChanging } from './changing.fixture.js';

const system = useGateway();
const { world, recorded, owner, admin, member, guest } = useChanging(system);

let names = 0;
const newName = () => `Revived ${(names += 1)}`;

describe('PATCH /streams/{stream_id} with is_archived', () => {
  const fetchTypes = ['stream', 'subscription'];
  const lists = ['streams', 'subscriptions', 'unsubscribed', 'never_subscribed'] as const;
  /** The channel in the lists of a registration. */
  const shown = (state: Readonly<Record<string, unknown>>, id: number) =>
    lists.map((list) =>
      (state[list] as { stream_id: number }[]).filter(({ stream_id }) => stream_id === id),
    );
  const stateOf = async (person: Person, client_capabilities: object, id: number) => {
    const fields = { fetch_event_types: fetchTypes, include_subscribers: true };
    const { body } = await person.api.post('/register', { ...fields, client_capabilities });
    return shown(body, id);
  };

  it('brings the channel back; older clients see it as new, with its subscribers', async () => {
    const former = await world.organisation.addPerson();
    const id = await world.addChannel(newName(), {}, [member, guest, former]);
    const { prisma } = system.database.database;
    await prisma.subscription.updateMany({
      where: { channelId: id, userId: former.id },
      data: { isActive: false },
    });
    await archive(admin, id);
    for (const client_capabilities of [{}, { archived_channels: true }]) {
      for (const person of [member, guest, former, owner]) {
        const fields = { event_types: fetchTypes, include_subscribers: true };
        const client = await EventClient.register(person.api, { ...fields, client_capabilities });
        const viewer = {
          userId: person.id,
          options: { includeSubscribers: true, capabilities: [] },
        } as const;
        const state = structuredClone(client.state) as Record<string, unknown>;
        expect(await change(admin, id, { is_archived: false })).toMatchObject(success);
        for (const event of await client.drain()) {
          if (event.type === 'stream') changeChannel(state, event, viewer);
          else changeSubscription(state, event, viewer);
        }
        expect(shown(state, id)).toEqual(await stateOf(person, client_capabilities, id));
        expect(shown(state, id).flat().length).toBe(2);
        expect(await recorded.during(() => change(admin, id, { is_archived: false }))).toEqual([]);
        await archive(admin, id);
      }
    }
  });

  it('ends no queue; older clients find the unread messages with their next registration', async () => {
    const id = await world.addChannel(newName(), {}, [member]);
    const message = { type: 'channel', to: id, topic: 'lunch', content: 'Hello' };
    const sent = await owner.api.post('/messages', message);
    await archive(admin, id);
    const capable = { client_capabilities: { archived_channels: true } };
    const clients = await Promise.all([
      EventClient.register(member.api),
      EventClient.register(member.api, { event_types: ['message', 'subscription'] }),
      EventClient.register(member.api, capable),
      EventClient.register(owner.api),
    ]);
    expect(await change(admin, id, { is_archived: false })).toMatchObject(success);
    const polls = await Promise.all(clients.map((client) => client.poll({ dont_block: true })));
    expect(polls.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { state } = await EventClient.register(member.api);
    expect(JSON.stringify(state['unread_msgs'])).toContain(`[${sent.body['id']}]`);
  });

  it('allows messages to the unarchived channel again, and posts a notice in it', async () => {
    const id = await world.addChannel(newName(), {}, [member]);
    const send = () =>
      member.api.post('/messages', { type: 'channel', to: id, topic: 'lunch', content: 'Hello' });
    await archive(admin, id);
    expect(await send()).toMatchObject({ status: 400 });
    const description = 'Back again';
    expect(await change(admin, id, { is_archived: false, description })).toMatchObject(success);
    expect(await send()).toMatchObject(success);
    expect(await read(member, id)).toMatchObject({ is_archived: false, description });
    const narrow = [{ operator: 'channel', operand: id }];
    const page = { anchor: 'oldest', num_before: 0, num_after: 10, narrow };
    const { body } = await member.api.get('/messages', page);
    const contents = (body['messages'] as { content: string }[]).map(({ content }) => content);
    expect(contents[0]).toContain('unarchived this channel.');
  });

  it('archives the channel once', async () => {
    const id = await world.addChannel(newName(), { isDefault: true }, [member]);
    const replies = await Promise.all([1, 2].map(() => change(admin, id, { is_archived: true })));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(await read(member, id)).toMatchObject({ is_archived: true });
  });

  it('takes the channel out of a folder that was archived meanwhile', async () => {
    const { prisma } = system.database.database;
    const realmId = world.organisation.id;
    const folder = await prisma.channelFolder.create({ data: { realmId, name: newName() } });
    const id = await world.addChannel(newName(), { folderId: folder.id });
    await archive(admin, id);
    const path = `/channel_folders/${folder.id}`;
    expect(await admin.api.patch(path, { is_archived: true })).toMatchObject(success);
    expect(await change(admin, id, { is_archived: false })).toMatchObject(success);
    expect(await read(admin, id)).toMatchObject({ folder_id: null });
  });

  it('is for those who administer the channel', async () => {
    const id = await world.addChannel(newName(), { archivedAt: new Date() }, [member]);
    expect(await change(member, id, { is_archived: false })).toMatchObject({
      body: { code: 'CANNOT_ADMINISTER_CHANNEL' },
    });
    expect(await change(guest, id, { is_archived: false })).toMatchObject(
      badRequest('Invalid channel ID'),
    );
  });
});
