import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { idOf } from '#test/answers';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { type Correspondence, sendToChannel } from '#test/messages-organisation';
import { addModeratedOrganisation } from '#test/moderation-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const moderated = useFixture(() => addModeratedOrganisation(system));
let mail: Correspondence;

beforeAll(async () => {
  mail = moderated.correspondence;
});

const prisma = () => system.database.database.prisma;

/** The stored HTML of a message. */
const renderedOf = async (id: number) =>
  (await prisma().message.findUniqueOrThrow({ where: { id } })).rendered;

/** The HTML of the last message to the moderators. */
async function lastReport(): Promise<string | null> {
  const { rendered } = await prisma().message.findFirstOrThrow({
    where: { channelId: moderated.moderators.id },
    orderBy: { id: 'desc' },
  });
  return rendered;
}

describe('A guest with limited access to users', () => {
  it('mentions only visible accounts', async () => {
    const nobody = await prisma().userGroup.findFirstOrThrow({
      where: { realmId: moderated.organisation.id, name: 'role:nobody' },
    });
    await prisma().realm.update({
      where: { id: moderated.organisation.id },
      data: { canAccessAllUsersGroupId: nobody.id },
    });
    const guest = await moderated.organisation.addPerson({ role: roles.guest });
    const known = await moderated.addPerson('Kurt Known');
    const hidden = await moderated.addPerson('Hilda Hidden');
    const channel = await mail.addChannel([guest, known]);
    const content = `@**Kurt Known** @**Hilda Hidden** @_**Hilda Hidden|${hidden.id}**`;
    const mention = (person: Person, name: string, kind = '') =>
      `<span class="user-mention${kind}" data-user-id="${person.id}">${name}</span>`;

    expect(await renderedOf(idOf(await sendToChannel(guest, channel, content)))).toBe(
      `<p>${mention(known, '@Kurt Known')} @**Hilda Hidden** @_**Hilda Hidden|${hidden.id}**</p>`,
    );
    expect(await renderedOf(idOf(await sendToChannel(known, channel, content)))).toBe(
      `<p>${mention(known, '@Kurt Known')} ${mention(hidden, '@Hilda Hidden')} ${mention(hidden, 'Hilda Hidden', ' silent')}</p>`,
    );
  });
});

describe('A report', () => {
  it('links no channel that the reporter may not see', async () => {
    const [author, reporter] = [await moderated.addPerson('Ada'), await moderated.addPerson('Rex')];
    const open = await mail.addChannel([author, reporter]);
    const secret = await mail.addChannel([author], { isPrivate: true });
    const names = `#**${open.name}** #**${secret.name}**`;
    const toOpen = (id: number) => `href="/#narrow/channel/${id}-`;
    const messageId = idOf(await sendToChannel(reporter, open, names));
    const fields = { report_type: 'other', description: names };
    idOf(await reporter.api.post(`/messages/${messageId}/report`, fields));
    expect(await lastReport()).toContain(toOpen(open.id));
    expect(await lastReport()).not.toContain(toOpen(secret.id));
  });

  it('links a private channel that the reporter may see', async () => {
    const [author, reporter] = [await moderated.addPerson('Ada'), await moderated.addPerson('Rex')];
    const secret = await mail.addChannel([author, reporter], { isPrivate: true });
    const messageId = idOf(await sendToChannel(author, secret));
    idOf(await reporter.api.post(`/messages/${messageId}/report`, { report_type: 'spam' }));
    expect(await lastReport()).toContain(
      `<a class="message-link" href="/#narrow/channel/${secret.id}-`,
    );
  });

  it("names the server's bot that sent the reported message", async () => {
    const admin = await moderated.organisation.addPerson({ role: roles.administrator });
    const { body } = await admin.api.post('/realm/test_welcome_bot_custom_message', {
      welcome_message_custom_text: 'Welcome!',
    });
    const letter = await prisma().message.findUniqueOrThrow({
      where: { id: Number(body['message_id']) },
    });
    idOf(await admin.api.post(`/messages/${letter.id}/report`, { report_type: 'spam' }));
    expect(await lastReport()).toContain(
      `<span class="user-mention silent" data-user-id="${letter.senderId}">Welcome Bot</span>`,
    );
  });
});
