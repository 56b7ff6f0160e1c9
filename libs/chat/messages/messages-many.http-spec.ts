import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { boundStatements } from '#test/bounded-statements';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const MAX_AT_ONCE = 5000;
const MANY = 12_000;

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
let sender: Person;
let reader: Person;
let channel: { readonly id: number; readonly name: string };
let bound: { lift(): Promise<void> };

beforeEach(async () => {
  [sender, reader] = [await mail.organisation.addPerson(), await mail.organisation.addPerson()];
  channel = await mail.addChannel([sender, reader]);
  await system.database.database.prisma.$executeRaw`
    WITH stored AS (
      INSERT INTO messages (realm_id, sender_id, channel_id, content)
      SELECT ${mail.organisation.id}, ${sender.id}, ${channel.id}, 'Hello'
      FROM generate_series(1, ${MANY}::int)
      RETURNING id
    )
    INSERT INTO user_messages (user_id, message_id) SELECT ${reader.id}, id FROM stored`;
});

afterEach(() => bound?.lift());

const boundUpdates = async (after: number | null = null) => {
  const table = 'user_messages';
  bound = await boundStatements(system, { table, operation: 'UPDATE', most: MAX_AT_ONCE, after });
};
const unread = () =>
  system.database.database.prisma.userMessage.count({
    where: { userId: reader.id, isRead: false },
  });

describe.each([
  [
    'Marking a channel as read',
    () => reader.api.post('/mark_stream_as_read', { stream_id: channel.id }),
  ],
  ['Muting a sender', () => reader.api.post(`/users/me/muted_users/${sender.id}`)],
])('%s with many unread messages', (_, request) => {
  it('changes a bounded number of rows per statement', async () => {
    await boundUpdates();
    const someone = await mail.organisation.addPerson();
    await sendToChannel(someone, await mail.addChannel([someone, reader]));
    expect(await request()).toMatchObject(success);
    expect(await unread()).toBe(1);
  });

  it('continues after the committed slices when it is repeated after a failure', async () => {
    await boundUpdates(1);
    expect(await request()).toMatchObject({ status: 503 });
    expect(await unread()).toBe(MANY - MAX_AT_ONCE);
    await bound.lift();
    await boundUpdates();
    expect(await request()).toMatchObject(success);
    expect(await unread()).toBe(0);
  });
});
