import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { Correspondence } from '#test/messages-organisation';
import { startGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';
import { Notices } from './notices.js';

let system: System;

beforeAll(async () => {
  system = await startGateway();
});

afterAll(() => system?.stop());

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
});
