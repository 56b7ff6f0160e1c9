import { describe, expect, it } from '@jest/globals';
import { VisibleUsersRepository } from '#directory/guest-access';
import { apnsPayload } from '#push/providers';
import { idOf } from '#test/answers';
import { sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { ContentReader } from '../content-reader.js';
import { unwantedMessagesIn } from '../decision/review.fixture.js';
import { MessageContentRepository } from '../message-content.repository.js';
import { notificationContent } from '../notification.js';
import { QuietWorld } from './quiet-world.fixture.js';

const system = useGateway();
const world = useFixture(() => QuietWorld.in(system));

/** How much attention each notification of a person draws to itself on an iPhone, in the order of sending. */
async function levelsOf(person: Person): Promise<string[]> {
  const { database } = system.database;
  const { id: userId } = person;
  const reader = new ContentReader(
    new MessageContentRepository(database),
    new VisibleUsersRepository(database),
    unwantedMessagesIn(database),
    false,
    new URL('https://chat.example.org'),
  );
  const times = { attempts: 0, acceptedAt: 0, databaseNow: 0 };
  const to = { userId, deviceId: 1, sequence: Number.MAX_SAFE_INTEGER, ...times };
  const recipient = { userId, realmId: 1, realmName: 'a', realmUrl: 'https://a', server: 'a' };
  const levels: string[] = [];
  for (const { content } of await world.people.of(person)) {
    const stored = notificationContent.parse(content);
    const read = stored.kind === 'confirm' ? null : await reader.read(to, stored);
    if (read === null) throw new Error('A notification is not sent.');
    levels.push(apnsPayload({ recipient, content: read }).aps['interruption-level'] ?? 'active');
  }
  return levels;
}

describe('The end of quiet hours', () => {
  it('notifies once for each conversation afterwards, of its newest message, and of no more later', async () => {
    const reader = await world.quietReader();
    const channel = await world.people.mail.addChannel([world.sender, reader]);
    const inTopic = async (topic: string) =>
      idOf(await sendToChannel(world.sender, channel, 'x', topic));
    const [, lunch] = [await inTopic('lunch'), await inTopic('Lunch')];
    await world.writeTo(reader);
    const direct = await world.writeTo(reader);
    const dinner = await inTopic('dinner');
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([lunch, direct, dinner]);
    const later = await inTopic('lunch');
    expect(await world.notifiedOf(reader)).toEqual([lunch, direct, dinner, later]);
    await world.set(reader, { wildcard_mentions_notify: false });
    await world.makeDue(reader);
    await world.decideAll();
    // Those that others stood for are not notified after a change of the settings either.
    expect(await world.notifiedOf(reader)).toEqual([lunch, direct, dinner, later]);
  });

  it('draws attention to an iPhone once afterwards, however many conversations it shows', async () => {
    const reader = await world.quietReader();
    await world.people.addPhone(reader, { platform: 'apns' });
    const channel = await world.people.mail.addChannel([world.sender, reader]);
    for (const topic of ['lunch', 'dinner', 'tea'])
      await sendToChannel(world.sender, channel, 'x', topic);
    await world.makeDue(reader);
    await world.decideAll();
    await sendToChannel(world.sender, channel, 'x', 'supper');
    expect(await levelsOf(reader)).toEqual(['active', 'passive', 'passive', 'active']);
  });

  it('notifies of a message before a thousand that the account does not want', async () => {
    const reader = await world.quietReader();
    const direct = await world.writeTo(reader);
    const channel = await world.people.mail.addChannel([world.sender, reader]);
    await world.set(reader, { enable_stream_push_notifications: false });
    await world.people.prisma.$executeRaw`
      WITH stored AS (
        INSERT INTO messages (realm_id, sender_id, channel_id, content)
        SELECT realm_id, ${world.sender.id}, ${channel.id}, 'x'
        FROM users CROSS JOIN generate_series(1, 1001) WHERE users.id = ${reader.id}
        RETURNING id
      )
      INSERT INTO user_messages (user_id, message_id) SELECT ${reader.id}, id FROM stored`;
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([direct]);
  });

  it('notifies of the ten newest conversations at most', async () => {
    const reader = await world.quietReader();
    const channel = await world.people.mail.addChannel([world.sender, reader]);
    const ids: number[] = [];
    for (let topic = 0; topic < 12; topic++) {
      ids.push(idOf(await sendToChannel(world.sender, channel, 'x', `topic ${topic}`)));
    }
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual(ids.slice(2));
  });
});
