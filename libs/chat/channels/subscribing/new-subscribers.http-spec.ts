import { describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { eventually } from '#test/eventually';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { newName, SUBSCRIPTIONS, useSubscribing } from './subscribing.fixture.js';

const system = useGateway();
const { world, admin, member } = useSubscribing(system);

describe('Subscribing', () => {
  it('gives new subscribers the notifications that a channel has for them', async () => {
    const name = newName();
    const given = { subscriptions: [{ name }], default_push_notifications: true };
    expect(await member.api.post(SUBSCRIPTIONS, given)).toMatchObject(
      badRequest('Insufficient permission'),
    );
    expect(await admin.api.post(SUBSCRIPTIONS, given)).toMatchObject(success);
    const first = await world.organisation.addPerson();
    const pushOf = async ({ api }: Person) => {
      const list = (await api.get(SUBSCRIPTIONS)).body['subscriptions'] as Record<
        string,
        unknown
      >[];
      const found = list.find((one) => one['name'] === name);
      return [found?.['push_notifications'], found?.['default_push_notifications']];
    };
    const join = ({ api }: Person) => api.post(SUBSCRIPTIONS, { subscriptions: [{ name }] });
    await join(first);
    expect(await pushOf(first)).toEqual([true, true]);
    // Who comes back keeps the own choice.
    const { body } = await first.api.get('/get_stream_id', { stream: name });
    const id = body['stream_id'];
    await first.api.post(`${SUBSCRIPTIONS}/properties`, {
      subscription_data: [{ stream_id: id, property: 'push_notifications', value: false }],
    });
    await first.api.delete(SUBSCRIPTIONS, { subscriptions: [name] });
    await join(first);
    expect(await pushOf(first)).toEqual([false, true]);
    const path = `/streams/${String(id)}`;
    expect(await first.api.patch(path, { default_push_notifications: false })).toMatchObject({
      status: 400,
    });
    expect(await admin.api.patch(path, { default_push_notifications: false })).toMatchObject(
      success,
    );
    const second = await world.organisation.addPerson();
    await join(second);
    expect(await pushOf(second)).toEqual([null, false]);
  });

  it('tells accounts that the caller has subscribed them, unless it should not', async () => {
    const told = async (fields: object) => {
      const person = await world.organisation.addPerson();
      const { body } = await member.api.post(SUBSCRIPTIONS, {
        subscriptions: [{ name: newName() }],
        principals: [person.id],
        ...fields,
      });
      const { prisma } = system.database.database;
      const count = () =>
        prisma.message.count({
          where: { conversation: { members: { some: { userId: person.id } } } },
        });
      return { count, said: body['new_subscription_messages_sent'] };
    };
    const asked = await told({ send_new_subscription_messages: true });
    await eventually(async () => expect(await asked.count()).toBe(1));
    expect(asked.said).toBe(true);
    const silent = await told({ send_new_subscription_messages: false });
    expect(await silent.count()).toBe(0);
    expect(silent.said).toBeUndefined();
  });
});
