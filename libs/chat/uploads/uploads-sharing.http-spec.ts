import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { basicAuthorization } from '#test/api-client';
import { sendRequest } from '#test/http-request';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import {
  Correspondence,
  kindsOfChannel,
  sendToChannel,
  sendToPeople,
} from '#test/messages-organisation';
import { filePart, multipart } from '#test/uploads-multipart';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());

async function upload({ api }: Person, name = 'a.txt'): Promise<string> {
  const { body } = await api.send('POST', '/user_uploads', multipart(filePart(name, 'x')));
  return String(body['url']);
}

async function mayOpen(person: Person, url: string): Promise<boolean> {
  const headers = { host: person.host, authorization: basicAuthorization(person) };
  const { status } = await sendRequest(system.gatewayUrl + encodeURI(url), { headers });
  return status === 200;
}

const mayRead = async ({ api }: Person, messageId: unknown): Promise<boolean> =>
  (await api.get(`/messages/${String(messageId)}`)).status === 200;

describe('An uploaded file in a message', () => {
  it.each(kindsOfChannel)(
    'of %s can be opened only by the readers of the message',
    async (_what, traits) => {
      const { prisma } = system.database.database;
      const { organisation } = mail;
      const guestly = { role: roles.guest };
      const people = {
        received: await organisation.addPerson(),
        left: await organisation.addPerson(),
        later: await organisation.addPerson(),
        never: await organisation.addPerson(),
        mayJoin: await organisation.addPerson(),
        guest: await organisation.addPerson(guestly),
        subscribedGuest: await organisation.addPerson(guestly),
        guestWhoMayJoin: await organisation.addPerson(guestly),
        bot: await organisation.addPerson({ isBot: true }),
        administrator: await organisation.addPerson({ role: roles.administrator }),
        owner: await organisation.addPerson({ role: roles.owner }),
      };
      const { received, left, later, mayJoin, subscribedGuest, guestWhoMayJoin } = people;
      const channel = await mail.addChannel([sender, received, left, subscribedGuest]);
      const url = await upload(sender);
      const { body } = await sendToChannel(sender, channel, url);
      await prisma.subscription.updateMany({
        where: { channelId: channel.id, userId: left.id },
        data: { isActive: false },
      });
      await prisma.subscription.create({ data: { channelId: channel.id, userId: later.id } });
      const canSubscribeId = await mail.addGroup([mayJoin, guestWhoMayJoin]);
      await prisma.channel.update({
        where: { id: channel.id },
        data: { ...traits, canSubscribeId },
      });
      for (const [name, person] of Object.entries(people)) {
        const opens = await mayOpen(person, url);
        expect({ name, opens }).toEqual({ name, opens: await mayRead(person, body['id']) });
      }
      expect(await mayOpen(received, url)).toBe(true);
    },
  );

  it.each<[string, (url: string) => string]>([
    ['a Markdown link', (url) => `[a file](${url})`],
    ['a percent-encoded link', (url) => `[a file](${encodeURI(url)})`],
    ['a whole address', (url) => `See ${system.gatewayUrl}${encodeURI(url)}.`],
    ['the path alone', (url) => `(${url}), and more`],
    ['a link to its download', (url) => url.replace('/user_uploads/', '/user_uploads/download/')],
  ])('is shared by %s', async (_what, content) => {
    const reader = await mail.organisation.addPerson();
    const url = await upload(sender, 'Plan (neu) für [Mai] & 日本.txt');
    await sendToPeople(sender, [reader], content(url));
    expect(await mayOpen(reader, url)).toBe(true);
  });

  it('can be passed on only by accounts that may open it', async () => {
    const [reader, stranger, friend] = await mail.organisation.addPeople(3);
    if (!reader || !stranger || !friend) throw new Error('Nobody was added');
    const url = await upload(sender);
    await sendToPeople(stranger, [friend], url);
    expect(await mayOpen(friend, url)).toBe(false);
    await sendToPeople(sender, [reader], url);
    await sendToPeople(reader, [friend], url);
    expect(await mayOpen(friend, url)).toBe(true);
    expect(await mayOpen(stranger, url)).toBe(false);
  });

  it('stays readable when its uploader is deactivated', async () => {
    const [leaver, reader] = await mail.organisation.addPeople(2);
    if (!leaver || !reader) throw new Error('Nobody was added');
    const url = await upload(leaver);
    await sendToPeople(leaver, [reader], url);
    await system.database.database.prisma.user.update({
      where: { id: leaver.id },
      data: { isActive: false },
    });
    expect(await mayOpen(reader, url)).toBe(true);
  });
});
