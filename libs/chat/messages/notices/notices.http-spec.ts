import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { eventually } from '#test/eventually';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Notices } from './notices.js';

const system = useGateway();

const prisma = () => system.database.database.prisma;

/** Stores a notice as a process that died leaves it, about a change of an account that was deactivated since. */
async function leaveNotice({ isClosed = false } = {}) {
  const mail = await Correspondence.in(system);
  const ada = await mail.organisation.addPerson({ fullName: 'Ada', isActive: false });
  const { id: channelId } = await mail.addChannel();
  if (isClosed) {
    const data = { deactivatedAt: new Date() };
    await prisma().realm.update({ where: { id: mail.organisation.id }, data });
  }
  const { id } = await prisma().notice.create({
    data: {
      userId: ada.id,
      place: { channelId, topic: 'news' },
      content: `@_**Ada|${ada.id}** has done it`,
      isSilent: false,
      dueAt: new Date(),
    },
  });
  await eventually(async () => expect(await prisma().notice.count({ where: { id } })).toBe(0));
  const sent = await prisma().message.findMany({ where: { channelId } });
  return { ada, rendered: sent.map(({ rendered }) => rendered) };
}

describe(Notices.name, () => {
  it('of an account that was deactivated meanwhile are sent, and name it', async () => {
    const { ada, rendered } = await leaveNotice();
    expect(rendered).toEqual([
      `<p><span class="user-mention silent" data-user-id="${ada.id}">Ada</span> has done it</p>`,
    ]);
  });

  it('of a deactivated organisation are dropped', async () => {
    expect((await leaveNotice({ isClosed: true })).rendered).toEqual([]);
  });

  it('have the replacement character in place of an unpaired surrogate', async () => {
    const mail = await Correspondence.in(system);
    const admin = await mail.organisation.addPerson({ role: roles.administrator });
    const channel = await mail.addChannel([admin]);
    const { body } = await sendToChannel(admin, channel, 'news');
    expect(
      await patch(admin, `/streams/${channel.id}`, { description: 'a\u{d800}' }),
    ).toMatchObject(success);
    expect(
      await patch(admin, `/messages/${String(body['id'])}`, { topic: 'b\u{d800}' }),
    ).toMatchObject(success);
    await eventually(async () => {
      const sent = await prisma().message.findMany({ where: { channelId: channel.id } });
      expect(sent.map(({ topic, content }) => [topic, content])).toEqual(
        expect.arrayContaining([
          [expect.any(String), expect.stringContaining('a\u{fffd}')],
          ['b\u{fffd}', expect.stringContaining('moved here')],
        ]),
      );
    });
  });
});

/** Sends the fields as JSON, which unlike a form can have unpaired surrogates in texts. */
const patch = ({ api }: Person, path: string, fields: object) =>
  api.send('PATCH', path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
