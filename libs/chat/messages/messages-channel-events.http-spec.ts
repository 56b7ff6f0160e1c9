import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());
const admin = useFixture(() => mail.organisation.addPerson({ role: roles.administrator }));
const guest = useFixture(() => mail.organisation.addPerson({ role: roles.guest }));
const recorded = useFixture(async () => new RecordedEvents(system, mail.organisation));

const prisma = () => system.database.database.prisma;
const aboutChannels = async (work: () => Promise<unknown>) =>
  (await recorded.during(work)).filter((event) => 'type' in event && event.type === 'stream');

type Channel = Awaited<ReturnType<Correspondence['addChannel']>>;

const update = ({ id, name }: Channel, audience: object, property: string, value: unknown) => ({
  type: 'stream',
  body: { op: 'update', stream_id: id, name, property, value },
  audience,
});

describe('The first message of a channel', () => {
  it('changes the channel for everyone who may see it', async () => {
    const channel = await mail.addChannel([sender, guest]);
    let id: unknown;
    const stored = await aboutChannels(async () => {
      id = (await sendToChannel(sender, channel)).body['id'];
      await sendToChannel(sender, channel);
      await sendToPeople(sender, [guest]);
    });
    const audience = { everyone: 'members', userIds: [guest.id] };
    expect(stored).toEqual([
      update(channel, audience, 'first_message_id', id),
      update(channel, audience, 'is_recently_active', true),
    ]);
  });

  it('of a web-public channel is known to all', async () => {
    const channel = await mail.addChannel([sender, guest], { isWebPublic: true });
    expect(await aboutChannels(() => sendToChannel(sender, channel))).toMatchObject([
      { audience: { everyone: 'all' } },
      { audience: { everyone: 'all' } },
    ]);
  });

  it('of a private channel is known to subscribers, administrators and members of groups with a permission', async () => {
    const [member, holder] = await mail.organisation.addPeople(2);
    if (member === undefined || holder === undefined) throw new Error('Nobody was added');
    const canSubscribeId = await mail.addGroup([holder, guest]);
    const channel = await mail.addChannel([sender, member], { isPrivate: true, canSubscribeId });
    const audience = { userIds: [sender.id, admin.id, member.id, holder.id] };
    const stored = await aboutChannels(() => sendToChannel(sender, channel));
    expect(stored).toMatchObject([{ audience }, { audience }]);
  });

  it('has one event for concurrent messages', async () => {
    const channel = await mail.addChannel([sender]);
    const stored = await aboutChannels(() =>
      Promise.all(Array.from({ length: 6 }, () => sendToChannel(sender, channel))),
    );
    expect(stored).toHaveLength(2);
  });
});

describe('A message in a channel with earlier messages', () => {
  it.each([
    [1, 0],
    [180, 0],
    [181, 1],
  ])('%s days ago makes it active again: %s events', async (days, events) => {
    const channel = await mail.addChannel([sender]);
    await sendToChannel(sender, channel);
    await prisma().$executeRaw`
      UPDATE channel_traffic SET day = day - ${days}::int WHERE channel_id = ${channel.id}`;
    const stored = await aboutChannels(async () => {
      await sendToChannel(sender, channel);
      await sendToChannel(sender, channel);
    });
    const event = update(channel, { everyone: 'members' }, 'is_recently_active', true);
    expect(stored).toEqual(Array.from({ length: events }, () => event));
  });
});
