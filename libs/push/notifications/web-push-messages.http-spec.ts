import { describe, expect, it } from '@jest/globals';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addSubscription } from '#test/web-push-client';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));
const sender = useFixture(() => people.add());

const subscribe = (person: Person, kind: 'browser' | 'unifiedpush' = 'browser', state = 'active') =>
  addSubscription(system.database.database, { userId: person.id, kind, state });

const read = (person: Person, messageId: unknown) =>
  person.api.post('/messages/flags', { messages: [messageId], op: 'add', flag: 'read' });

/** The platforms of the deliveries of each notification. */
const platformsOf = async (person: Person) =>
  (await people.of(person)).map(({ kind, deliveries }) => ({
    kind,
    platforms: deliveries.map(({ platform }) => platform),
  }));

/** A person without a phone. */
async function withoutPhone(): Promise<Person> {
  const person = await people.add();
  await people.prisma.pushDevice.deleteMany({ where: { userId: person.id } });
  return person;
}

describe('A message', () => {
  it('is notified to the active subscriptions of Web Push beside the phones', async () => {
    const reader = await people.add();
    await subscribe(reader);
    await subscribe(reader, 'browser', 'pending');
    await sendToPeople(sender, [reader]);
    expect(await platformsOf(reader)).toEqual([{ kind: 'message', platforms: ['fcm', 'web'] }]);
  });

  it('is removed from phones and by UnifiedPush, and not from browsers', async () => {
    const reader = await people.add();
    await subscribe(reader);
    await subscribe(reader, 'unifiedpush');
    const { body } = await sendToPeople(sender, [reader]);
    await read(reader, body['id']);
    expect(await platformsOf(reader)).toEqual([
      { kind: 'message', platforms: ['fcm', 'web', 'web'] },
      { kind: 'remove', platforms: ['fcm', 'web'] },
    ]);
  });

  it('is removed from no browser of an account without phones', async () => {
    const reader = await withoutPhone();
    await subscribe(reader);
    const { body } = await sendToPeople(sender, [reader]);
    expect(await people.onScreenOf(reader)).toEqual([body['id']]);
    await read(reader, body['id']);
    expect(await people.onScreenOf(reader)).toEqual([]);
    expect(await platformsOf(reader)).toEqual([{ kind: 'message', platforms: ['web'] }]);
  });

  it('is notified to no subscription of an older API key', async () => {
    const reader = await withoutPhone();
    await subscribe(reader);
    await people.prisma.user.update({
      where: { id: reader.id },
      data: { keyGeneration: { increment: 1 } },
    });
    await sendToPeople(sender, [reader]);
    expect(await platformsOf(reader)).toEqual([]);
  });
});
