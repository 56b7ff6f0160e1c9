import { describe, expect, it } from '@jest/globals';
import { badRequest } from '#test/answers';
import { countStatements } from '#test/count-statements';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson({ fullName: 'Sven Sender' }));
const reader = useFixture(() => mail.organisation.addPerson({ fullName: 'Rita Reader' }));
const other = useFixture(() => mail.organisation.addPerson({ fullName: 'Otto Other' }));

const unread = {
  isRead: false,
  isStarred: false,
  isMentioned: false,
  isWildcardMentioned: false,
  isCollapsed: false,
  hidesLinkPreviews: false,
  isHistorical: false,
  hasAlertWord: false,
};
const read = { ...unread, isRead: true };

describe('The delivery of a message', () => {
  it('includes each active subscriber of a channel; it is read for the sender', async () => {
    const deactivated = await mail.organisation.addPerson({ isActive: false });
    const left = await mail.organisation.addPerson();
    const channel = await mail.addChannel([sender, reader, deactivated, left]);
    await system.database.database.prisma.subscription.updateMany({
      where: { channelId: channel.id, userId: left.id },
      data: { isActive: false },
    });
    const { body } = await sendToChannel(sender, channel);
    expect(await mail.received(body['id'])).toEqual(
      new Map([
        [sender.id, read],
        [reader.id, unread],
      ]),
    );
  });

  it('includes all members of a conversation and the sender', async () => {
    const { body } = await sendToPeople(sender, [reader, other]);
    expect(await mail.received(body['id'])).toEqual(
      new Map([
        [sender.id, read],
        [reader.id, unread],
        [other.id, unread],
      ]),
    );
  });

  it('does not include a sender who is not subscribed to the channel', async () => {
    const channel = await mail.addChannel([reader]);
    const { body } = await sendToChannel(sender, channel);
    expect(await mail.received(body['id'])).toEqual(new Map([[reader.id, unread]]));
  });

  it('stores it as unread for the sender on request', async () => {
    const channel = await mail.addChannel([sender]);
    const { body } = await sender.api.post('/messages', {
      type: 'channel',
      to: channel.id,
      topic: 'lunch',
      content: 'Hello',
      read_by_sender: false,
    });
    expect(await mail.received(body['id'])).toEqual(new Map([[sender.id, unread]]));
  });

  it('stores it as read for a recipient who has muted the sender', async () => {
    const [muting, muted] = await mail.organisation.addPeople(2);
    if (muting === undefined || muted === undefined) throw new Error('Nobody was added');
    await system.database.database.prisma.mutedUser.create({
      data: { userId: muting.id, mutedUserId: muted.id },
    });
    const channel = await mail.addChannel([muting, reader]);
    const inChannel = await sendToChannel(muted, channel, 'Hello @**all**');
    expect(await mail.received(inChannel.body['id'])).toEqual(
      new Map([
        [muting.id, { ...read, isWildcardMentioned: true }],
        [reader.id, { ...unread, isWildcardMentioned: true }],
      ]),
    );
    const direct = await sendToPeople(muted, [muting]);
    expect((await mail.received(direct.body['id'])).get(muting.id)).toEqual(read);
    const fromOther = await sendToChannel(other, channel);
    expect((await mail.received(fromOther.body['id'])).get(muting.id)).toEqual(unread);
  });
});

describe('A mention', () => {
  const mentionedOf = async (content: string, subscribers = [sender, reader, other]) => {
    const channel = await mail.addChannel(subscribers);
    const { body } = await sendToChannel(sender, channel, content);
    const flags = await mail.received(body['id']);
    return [reader, other]
      .filter(({ id }) => flags.get(id)?.isMentioned)
      .map((person) => (person === reader ? 'reader' : 'other'));
  };

  it.each([
    ['by name', 'Ask @**Rita Reader** please', ['reader']],
    ['by name in another case', 'Ask @**rita reader**', ['reader']],
    ['of two', '@**Rita Reader** and @**Otto Other**', ['reader', 'other']],
    ['of an unknown name', '@**Rita**', []],
    ['that is silent', '@_**Rita Reader**', []],
    ['in code', 'Write `@**Rita Reader**`\n```\n@**Rita Reader**\n```', []],
    ['in a quote', '> @**Rita Reader**\n\nIndeed', []],
    ['in a quoting fence', '```quote\n@**Rita Reader**\n```\n@**Otto Other**', ['other']],
    ['in the middle of a word', 'mail@**Rita Reader**', []],
  ])('%s', async (_what, content, expected) => {
    expect(await mentionedOf(content)).toEqual(expected);
  });

  it('by name and id notifies the account with the id', async () => {
    expect(await mentionedOf(`@**Rita Reader|${reader.id}**`)).toEqual(['reader']);
    expect(await mentionedOf(`@**Rita Reader|${other.id}**`)).toEqual([]);
  });

  it('by a name that two accounts share notifies the older one, or the one with the id', async () => {
    const namesake = await mail.organisation.addPerson({ fullName: 'Nora Namesake' });
    const second = await mail.organisation.addPerson({ fullName: 'Nora Namesake' });
    const channel = await mail.addChannel([namesake, second]);
    const unclear = await sendToChannel(sender, channel, '@**Nora Namesake**');
    expect(await mail.received(unclear.body['id'])).toEqual(
      new Map([
        [namesake.id, { ...unread, isMentioned: true }],
        [second.id, unread],
      ]),
    );
    const clear = await sendToChannel(sender, channel, `@**Nora Namesake|${second.id}**`);
    expect((await mail.received(clear.body['id'])).get(second.id)?.isMentioned).toBe(true);
  });

  it('of a group notifies its members, including those of subgroups', async () => {
    const inner = await mail.addGroup([other], { name: 'inner circle' });
    const outer = await mail.addGroup([reader], { name: 'outer circle' });
    await system.database.database.prisma.userGroupSubgroup.create({
      data: { supergroupId: outer, subgroupId: inner },
    });
    expect(await mentionedOf('@*outer circle*')).toEqual(['reader', 'other']);
    expect(await mentionedOf('@*inner circle*')).toEqual(['other']);
    expect(await mentionedOf('@_*outer circle*')).toEqual([]);
  });

  it.each(['all', 'everyone', 'channel', 'stream'])(
    'of @**%s** notifies all subscribers',
    async (word) => {
      const channel = await mail.addChannel([reader, other]);
      const { body } = await sendToChannel(sender, channel, `Hear @**${word}**`);
      expect(await mail.received(body['id'])).toEqual(
        new Map([
          [reader.id, { ...unread, isWildcardMentioned: true }],
          [other.id, { ...unread, isWildcardMentioned: true }],
        ]),
      );
    },
  );

  it('of everyone is ignored in a direct message', async () => {
    const { body } = await sendToPeople(sender, [reader], 'Hear @**all**');
    expect((await mail.received(body['id'])).get(reader.id)).toEqual(unread);
  });

  it('is rejected for a group that the sender may not mention', async () => {
    const few = await mail.addGroup([other]);
    const group = { name: 'the few', canMentionId: few };
    await mail.addGroup([reader], group);
    const channel = await mail.addChannel([reader]);
    const refused = badRequest("You are not allowed to mention user group 'the few'.");
    expect(await sendToChannel(sender, channel, '@*the few*')).toMatchObject(refused);
    expect(await sendToPeople(sender, [reader], '@*the few*')).toMatchObject(refused);
    expect(await sendToChannel(sender, channel, '@_*the few*')).toMatchObject({ status: 200 });
    expect(await sendToChannel(other, channel, '@*the few*')).toMatchObject({ status: 200 });
  });

  it('is rejected for a system group, unless it is silent', async () => {
    const channel = await mail.addChannel([reader]);
    const silent = await sendToChannel(sender, channel, '@_*role:members*');
    expect(silent).toMatchObject({ status: 200 });
    const { rendered } = await system.database.database.prisma.message.findUniqueOrThrow({
      where: { id: Number(silent.body['id']) },
    });
    expect(rendered).toContain('class="user-group-mention silent"');
    expect(await sendToChannel(sender, channel, '@*role:members*')).toMatchObject({
      status: 400,
      body: { msg: "You are not allowed to mention user group 'role:members'." },
    });
  });
});

describe('Sending', () => {
  it('takes as many statements for 500 subscribers as for two', async () => {
    const prisma = system.database.database.prisma;
    const crowd = await mail.addCrowd(500);
    const small = await mail.addChannel([sender, reader]);
    const large = await mail.addChannel([sender, reader]);
    await prisma.subscription.createMany({
      data: crowd.map(({ id }) => ({ channelId: large.id, userId: id })),
    });
    const content = '@**Rita Reader** and @**all**';
    await sendToChannel(sender, small, content);
    await sendToChannel(sender, large, content);
    const forSmall = await countStatements(() => sendToChannel(sender, small, content));
    let id: unknown;
    const forLarge = await countStatements(async () => {
      id = (await sendToChannel(sender, large, content)).body['id'];
    });
    expect(forLarge).toBe(forSmall);
    expect(forSmall).toBeGreaterThan(0);
    expect((await mail.received(id)).size).toBe(502);
  });
});
