import { describe, expect, it } from '@jest/globals';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());

const prisma = () => system.database.database.prisma;

/** The stored HTML of a message with a content, without the paragraph around it. */
async function renderedOf(content: string, from: Person = sender): Promise<string> {
  const { body } = await sendToPeople(from, [from], content);
  const { rendered } = await prisma().message.findUniqueOrThrow({
    where: { id: Number(body['id']) },
  });
  return (rendered ?? '').replace(/^<p>(.*)<\/p>$/s, '$1');
}

const addEmoji = (name: string, isDeactivated = false) =>
  prisma().realmEmoji.create({
    data: {
      realmId: mail.organisation.id,
      name,
      authorId: sender.id,
      fileKey: `emoji/${name}.png`,
      isDeactivated,
    },
  });

const emoji = (code: string, name: string) => {
  const title = name.replaceAll('_', ' ');
  return `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`;
};

describe('The HTML of a message', () => {
  it('has the emoji of Unicode, but no skin tones', async () => {
    expect(await renderedOf(':tada: 🎉 👍🏿 :skin-tone-2: :nothing:')).toBe(
      `${emoji('1f389', 'tada')} ${emoji('1f389', 'tada')} 👍🏿 :skin-tone-2: :nothing:`,
    );
  });

  it('has the custom emoji of the organisation, but no deactivated ones', async () => {
    await addEmoji('octopus');
    await addEmoji('tada', true);
    const src = `/user_avatars/${mail.organisation.id}/emoji/images/octopus.png`;
    expect(await renderedOf(':octopus::tada:')).toBe(
      `<img alt=":octopus:" class="emoji" src="${src}" title="octopus">${emoji('1f389', 'tada')}`,
    );
  });

  it('has a custom emoji with the longest name', async () => {
    const name = 'o'.repeat(100);
    await addEmoji(name);
    expect(await renderedOf(`:${name}:`)).toContain(`<img alt=":${name}:" class="emoji"`);
  });

  it('has the extra emoji, with a picture that the server has', async () => {
    const html = await renderedOf(':zulip:');
    const [, path = ''] = /^<img alt=":zulip:" class="emoji" src="([^"]+)"/.exec(html) ?? [];
    const picture = await fetch(`${system.gatewayUrl}${path}`);
    expect(picture.status).toBe(200);
    expect(picture.headers.get('content-type')).toBe('image/png');
  });

  it('has emoji for emoticons if the sender wants them', async () => {
    const friend = await mail.organisation.addPerson();
    const { body } = await friend.api.patch('/settings', { translate_emoticons: true });
    expect(body).toMatchObject({ result: 'success' });
    expect(await renderedOf(':)', friend)).toBe(emoji('1f642', 'slight_smile'));
    expect(await renderedOf(':)')).toBe(':)');
  });

  it('has relative links into the organisation', async () => {
    const { body } = await sender.api.get('/server_settings');
    const address = String(body['realm_url']);
    expect(await renderedOf(`[x](${address}/#narrow/near/1)`)).toBe(
      '<a href="#narrow/near/1">x</a>',
    );
  });

  it('shows linked pictures of the organisation', async () => {
    const { url } = await mail.addFile(sender);
    const address = encodeURI(url);
    expect(await renderedOf(`[](${url})`)).toBe(
      `<div class="message_inline_image"><a href="${address}"><img src="${address}"></a></div>`,
    );
    expect(await renderedOf(`[](${url.replace('.png', '.jpg')})`)).not.toContain('<img');
  });
});
