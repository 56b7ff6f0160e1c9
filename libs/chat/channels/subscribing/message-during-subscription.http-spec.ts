import { describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { commitTogether } from '#test/commit-together';
import { EventClient } from '#test/event-client';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { newName, SUBSCRIPTIONS, unsubscribe, useSubscribing } from './subscribing.fixture.js';

const system = useGateway();
const { world, admin, member, other } = useSubscribing(system);

const send = ({ api }: Person, channel: string) =>
  api.post('/messages', { type: 'stream', to: channel, topic: 'lunch', content: 'Hello' });

/** The messages of a member that the client got. */
async function messagesOf(client: EventClient): Promise<object[]> {
  const events = await client.drain();
  return events.filter(
    ({ type, message }) =>
      type === 'message' && (message as { sender_id: number }).sender_id === member.id,
  );
}

describe('A message that waits for a change of subscriptions', () => {
  it('reaches the new subscriber', async () => {
    const name = newName();
    await world.addChannel(name, {}, [member]);
    const client = await EventClient.register(other.api);
    const subscriptions = [{ name }];
    const replies = await commitTogether(
      system,
      world.organisation,
      () => admin.api.post(SUBSCRIPTIONS, { subscriptions, principals: [other.id] }),
      () => send(member, name),
    );
    expect(replies).toMatchObject([success, success]);
    expect(await messagesOf(client)).toHaveLength(1);
  });

  it('does not reach the former subscriber of a private channel', async () => {
    const name = newName();
    await world.addChannel(name, { isPrivate: true }, [member, other]);
    const client = await EventClient.register(other.api);
    const replies = await commitTogether(
      system,
      world.organisation,
      () => unsubscribe(other, [name]),
      () => send(member, name),
    );
    expect(replies).toMatchObject([success, success]);
    expect(await messagesOf(client)).toEqual([]);
  });
});
