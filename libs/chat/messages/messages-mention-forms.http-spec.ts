import { describe, expect, it } from '@jest/globals';
import { idOf, success } from '#test/answers';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson({ fullName: 'Ada Hart' }));
const bea = useFixture(() => mail.organisation.addPerson({ fullName: 'Bea' }));
const gone = useFixture(() => mail.organisation.addPerson({ fullName: 'Gone', isActive: false }));

const prisma = () => system.database.database.prisma;

/** The HTML of a message of Bea, and the accounts that it mentions. */
async function sent(content: string) {
  const id = idOf(await sendToChannel(bea, await mail.addChannel([ada, bea]), content));
  const { rendered } = await prisma().message.findUniqueOrThrow({ where: { id } });
  const received = await mail.received(id);
  const mentioned = [...received].filter(([, { isMentioned }]) => isMentioned).map(([who]) => who);
  return { html: rendered?.replace(/^<p>(.*)<\/p>$/, '$1'), mentioned };
}

const loud = (id: number, name: string) =>
  `<span class="user-mention" data-user-id="${id}">@${name}</span>`;
const silent = (id: number, name: string) =>
  `<span class="user-mention silent" data-user-id="${id}">${name}</span>`;

describe('A mention', () => {
  it('has the spelling of the account, and may have only its id', async () => {
    const mentioned = [ada.id];
    for (const source of ['@**aDA hart**', `@**ada hart|${ada.id}**`, `@**|${ada.id}**`]) {
      expect(await sent(source)).toEqual({ html: loud(ada.id, 'Ada Hart'), mentioned });
    }
    expect(await sent(`@_**|${ada.id}**`)).toMatchObject({ html: silent(ada.id, 'Ada Hart') });
    const unknown = '@**|2147483647**';
    expect(await sent(unknown)).toEqual({ html: unknown, mentioned: [] });
  });

  it('of a deactivated account is silent', async () => {
    for (const source of ['@**Gone**', '@**gone**', `@**|${gone.id}**`]) {
      expect(await sent(source)).toEqual({ html: silent(gone.id, 'Gone'), mentioned: [] });
    }
  });

  it('of a deactivated group is silent', async () => {
    const id = await mail.addGroup([ada], { name: 'Crew' });
    const html = (name: string, kind = '') =>
      `<span class="user-group-mention${kind}" data-user-group-id="${id}">${name}</span>`;
    expect(await sent('@*crew*')).toEqual({ html: html('@Crew'), mentioned: [ada.id] });
    await prisma().userGroup.update({ where: { id }, data: { deactivatedAt: new Date() } });
    expect(await sent('@*crew*')).toEqual({ html: html('Crew', ' silent'), mentioned: [] });
  });

  it('of a system group shows the name that clients have for it', async () => {
    const { html, mentioned } = await sent('@_*role:fullmembers*');
    expect(html).toMatch(/^<span class="user-group-mention silent"[^>]*>Full members<\/span>$/);
    expect(mentioned).toEqual([]);
  });

  it('in a quote is silent', async () => {
    const { html, mentioned } = await sent('> @**Ada Hart**');
    expect(html).toContain(silent(ada.id, 'Ada Hart'));
    expect(mentioned).toEqual([]);
  });
});

describe('A link to a topic', () => {
  const hrefOf = async (from: Person, channel: { readonly name: string }, topic: string) => {
    const content = `#**${channel.name}>${topic}**`;
    const id = idOf(await sendToChannel(from, await mail.addChannel([from]), content));
    const { rendered } = await prisma().message.findUniqueOrThrow({ where: { id } });
    return /href="[^"]*\/topic\/([^"]*)"/.exec(rendered ?? '')?.[1];
  };

  it('leads to the topic also after a move', async () => {
    const channel = await mail.addChannel([ada, bea]);
    await sendToChannel(ada, channel, 'Hello', 'plan');
    const id = idOf(await sendToChannel(ada, channel, 'Hello', 'plan'));
    expect(await hrefOf(bea, channel, 'Plan')).toBe(`Plan/with/${id}`);
    const move = { topic: '✔ plan', propagate_mode: 'change_all' };
    expect(await ada.api.patch(`/messages/${id}`, move)).toMatchObject(success);
    const { body } = await bea.api.get('/messages', {
      anchor: 'oldest',
      num_before: 0,
      num_after: 1,
      narrow: [
        ['channel', channel.name],
        ['topic', 'Plan'],
        ['with', String(id)],
      ],
    });
    expect(body['messages']).toMatchObject([{ subject: '✔ plan' }]);
  });

  it('has only the name of a topic without messages, and of an empty topic its message', async () => {
    const channel = await mail.addChannel([ada, bea]);
    expect(await hrefOf(bea, channel, 'nothing')).toBe('nothing');
    const id = idOf(await sendToChannel(ada, channel, 'Hello', ''));
    expect(await hrefOf(bea, channel, '')).toBe(`/with/${id}`);
    expect(await hrefOf(bea, channel, 'general chat')).toBe(`general.20chat/with/${id}`);
  });

  it('names no message that the author may not read', async () => {
    const channel = await mail.addChannel([ada], { isPrivate: true });
    await sendToChannel(ada, channel, 'Hello', 'plan');
    expect(await hrefOf(bea, channel, 'plan')).toBeUndefined();
    await prisma().subscription.create({ data: { channelId: channel.id, userId: bea.id } });
    expect(await hrefOf(bea, channel, 'plan')).toBe('plan');
    const id = idOf(await sendToChannel(ada, channel, 'Hello', 'plan'));
    expect(await hrefOf(bea, channel, 'plan')).toBe(`plan/with/${id}`);
  });
});
