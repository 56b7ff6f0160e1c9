import { describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { useGateway } from '#test/start-gateway';
import { archive, change, read, useChanging } from './changing.fixture.js';

const system = useGateway();
const { world, recorded, admin, member } = useChanging(system);

let names = 0;
const newName = () => `Archived ${(names += 1)}`;

describe('DELETE /streams/{stream_id}', () => {
  it('archives a channel; clients without the capability lose it', async () => {
    const id = await world.addChannel(newName(), { isDefault: true }, [member]);
    const register = (client_capabilities = {}) =>
      EventClient.register(member.api, { event_types: ['stream'], client_capabilities });
    const [older, newer] = [await register(), await register({ archived_channels: true })];
    const replies = await Promise.all([1, 2, 3].map(() => archive(admin, id)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    expect(await older.drain()).toMatchObject([
      { op: 'delete', streams: [{ stream_id: id }], stream_ids: [id] },
    ]);
    expect(await newer.drain()).toMatchObject([
      { op: 'update', stream_id: id, property: 'is_archived', value: true },
    ]);
    expect(await read(member, id)).toMatchObject({ is_archived: true });
    const { body } = await member.api.post('/register', { fetch_event_types: ['default_streams'] });
    expect(body['realm_default_streams']).not.toContain(id);
    expect(await change(admin, id, { description: 'x' })).toMatchObject(
      badRequest('Invalid channel ID'),
    );
  });

  it('is the end for older clients, with changes in the same request', async () => {
    const id = await world.addChannel(newName(), {}, [member]);
    const hidden = await world.addChannel(newName(), { isPrivate: true }, [admin]);
    const fields = { event_types: ['stream', 'subscription'] };
    const older = await EventClient.register(member.api, fields);
    const client_capabilities = { archived_channels: true };
    const newer = await EventClient.register(member.api, { ...fields, client_capabilities });
    const archived = { is_archived: true };
    expect(await change(admin, id, { ...archived, new_name: newName() })).toMatchObject(success);
    expect(await change(admin, hidden, { ...archived, is_private: false })).toMatchObject(success);
    const property = { property: 'pin_to_top', value: true };
    const settings = { subscription_data: [{ stream_id: id, ...property }] };
    expect(await member.api.post('/users/me/subscriptions/properties', settings)).toMatchObject(
      success,
    );
    const subscriptions = [String((await read(member, id))['name'])];
    expect(await member.api.delete('/users/me/subscriptions', { subscriptions })).toMatchObject(
      success,
    );
    expect(await older.drain()).toMatchObject([
      { op: 'update', property: 'name' },
      { op: 'delete', stream_ids: [id] },
    ]);
    expect(await newer.drain()).toMatchObject([
      { op: 'update', property: 'name' },
      { op: 'update', property: 'is_archived' },
      { type: 'stream', op: 'create', streams: [{ stream_id: hidden, is_archived: true }] },
      { type: 'subscription', op: 'peer_add', stream_ids: [hidden] },
      { type: 'subscription', op: 'update', stream_id: id, ...property },
      { type: 'subscription', op: 'remove', subscriptions: [{ stream_id: id }] },
    ]);
  });

  it('ends the reports to the moderators in the channel', async () => {
    const id = await world.addChannel(newName());
    const { prisma } = system.database.database;
    const where = { id: world.organisation.id };
    await prisma.realm.update({ where, data: { moderationChannelId: id } });
    const events = await recorded.during(() => archive(admin, id));
    expect(events).toContainEqual({
      type: 'realm',
      body: { op: 'update', property: 'moderation_request_channel_id', value: -1 },
      audience: { everyone: 'all' },
    });
  });
});
